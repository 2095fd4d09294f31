# Writes OUTPUT, a C++ source with the JSON texts of FILES as raw strings (in pieces: compilers limit a literal's length).
set(entries "")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  string(REGEX MATCH "\\.([a-z]+)\\.json$" matched ${name})
  set(language ${CMAKE_MATCH_1})
  file(READ ${file} text)
  string(APPEND entries "      {\"${language}\", R\"~atelier~(${text})~atelier~\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include <string_view>\n#include <utility>\n#include <vector>\n
namespace atelier::wire {
const std::vector<std::pair<std::string_view, std::string_view>>& catalogFiles() {
  static const std::vector<std::pair<std::string_view, std::string_view>> files{
${entries}  };
  return files;
}
}  // namespace atelier::wire\n")
