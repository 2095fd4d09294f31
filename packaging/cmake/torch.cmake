# LibTorch by our own imported targets: torch::cpu is libtorch_cpu and libc10 alone, so that the engine starts fast and runs
# without CUDA; libtorch_cuda is opened at run time where a driver is.
if(NOT ATELIER_TORCH)
  file(GLOB found ${CMAKE_SOURCE_DIR}/.deps/venv/lib/python3*/site-packages/torch)
  list(GET found 0 ATELIER_TORCH_ROOT)
  if(NOT ATELIER_TORCH_ROOT)
    message(FATAL_ERROR "No LibTorch: run packaging/run, or set ATELIER_TORCH to a LibTorch 2.11 folder")
  endif()
else()
  set(ATELIER_TORCH_ROOT ${ATELIER_TORCH})
endif()
get_filename_component(ATELIER_TORCH_ROOT ${ATELIER_TORCH_ROOT} REALPATH)
if(NOT EXISTS ${ATELIER_TORCH_ROOT}/lib/libtorch_cpu.so)
  message(FATAL_ERROR "${ATELIER_TORCH_ROOT} has no lib/libtorch_cpu.so: it is no LibTorch folder")
endif()

add_library(torch_c10 SHARED IMPORTED)
set_target_properties(torch_c10 PROPERTIES IMPORTED_LOCATION ${ATELIER_TORCH_ROOT}/lib/libc10.so IMPORTED_NO_SONAME ON)
add_library(torch_cpu SHARED IMPORTED)
set_target_properties(torch_cpu PROPERTIES IMPORTED_LOCATION ${ATELIER_TORCH_ROOT}/lib/libtorch_cpu.so IMPORTED_NO_SONAME ON)
add_library(torch_headers INTERFACE)
target_include_directories(torch_headers SYSTEM INTERFACE ${ATELIER_TORCH_ROOT}/include ${ATELIER_TORCH_ROOT}/include/torch/csrc/api/include
                           ${ATELIER_TORCH_ROOT}/include/kineto)
add_library(torch::cpu ALIAS torch_headers)
target_link_libraries(torch_headers INTERFACE torch_cpu torch_c10)
target_link_options(torch_headers INTERFACE -Wl,--disable-new-dtags)
# libtorch_cpu needs libgomp and friends that lie beside it or in folders it finds by its own rpath.
target_link_options(torch_headers INTERFACE -Wl,--allow-shlib-undefined)
