// The program's version and the revision it was built from ("unknown" outside a checkout).
#pragma once

#include <string_view>

namespace atelier::engine {

std::string_view programVersion();
std::string_view programRevision();

}  // namespace atelier::engine
