# Compiler settings shared by our own targets: warnings are errors, ccache and lld where they are installed.
find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_DEPEND=1 CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
endif()
find_program(LLD ld.lld)
if(LLD)
  add_link_options(-fuse-ld=lld)
endif()
if(ATELIER_SANITIZE)
  add_compile_options(-fsanitize=${ATELIER_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${ATELIER_SANITIZE})
endif()

# atelier_target(NAME): house settings for a target. Includes are written from the repository's root.
function(atelier_target name)
  target_compile_options(${name} PRIVATE -Wall -Wextra -Werror)
  if(ATELIER_SANITIZE)  # g++ 12 raises false maybe-uninitialized warnings under sanitizers
    target_compile_options(${name} PRIVATE -Wno-maybe-uninitialized)
  endif()
  if(CMAKE_CXX_COMPILER_LAUNCHER)
    target_compile_options(${name} PRIVATE -fpch-preprocess)
  endif()
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
endfunction()

execute_process(COMMAND git rev-parse --short=12 HEAD WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
                OUTPUT_VARIABLE ATELIER_REVISION OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT ATELIER_REVISION)
  set(ATELIER_REVISION unknown)
endif()
