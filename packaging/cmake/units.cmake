# atelier_units(TARGET FOLDER HEADER NAMESPACE TYPE PREFIX LIST [EXCLUDE stem…])
# A unit is one .cpp in FOLDER that defines `TYPE PREFIX<stem>()`. Generates a source with `const std::vector<TYPE>& LIST()`
# that calls them all, in the order of the file names: self-registering statics in static libraries are dropped by the linker.
function(atelier_units target folder header namespace type prefix list)
  cmake_parse_arguments(ARG "" "" "EXCLUDE" ${ARGN})
  file(GLOB files CONFIGURE_DEPENDS ${folder}/*.cpp)
  set(names "")
  foreach(file ${files})
    get_filename_component(stem ${file} NAME_WE)
    if(NOT stem IN_LIST ARG_EXCLUDE)
      list(APPEND names ${stem})
    endif()
  endforeach()
  atelier_unit_list(${target} ${header} ${namespace} ${type} ${prefix} ${list} ${names})
endfunction()

# atelier_unit_list(TARGET HEADER NAMESPACE TYPE PREFIX LIST name…): the same for units named one by one.
function(atelier_unit_list target header namespace type prefix list)
  set(declarations "")
  set(calls "")
  foreach(name ${ARGN})
    string(APPEND declarations "${type} ${prefix}${name}();\n")
    string(APPEND calls "${prefix}${name}(), ")
  endforeach()
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${list}.cpp)
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT
"#include \"@header@\"\n\nnamespace @namespace@ {\n@declarations@
const std::vector<@type@>& @list@() {
  static const std::vector<@type@> units{@calls@};
  return units;
}\n}  // namespace @namespace@\n")
  target_sources(${target} PRIVATE ${output})
endfunction()

# atelier_catalog(TARGET): compiles resources/catalog/NAME.LANG.json into the target.
function(atelier_catalog target)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/resources/catalog/*.json)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/catalog_files.cpp)
  add_custom_command(OUTPUT ${output} DEPENDS ${files} ${CMAKE_SOURCE_DIR}/packaging/cmake/embed_catalog.cmake
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} "-DFILES=${files}" -P ${CMAKE_SOURCE_DIR}/packaging/cmake/embed_catalog.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
