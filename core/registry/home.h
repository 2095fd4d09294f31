// The data folder that a person chose for this account in place of the usual one. The choice lies in
// $XDG_CONFIG_HOME/atelier/home (default ~/.config) and is read by every program of Atelier when it starts (defaultHome),
// unless $ATELIER_HOME names another folder. A chosen folder that is not there, of a drive that is not connected, is passed
// over and not made. Nothing is ever moved or copied from one to the other. Any thread.
#pragma once

#include <filesystem>

#include "core/wire/result.h"

namespace atelier::registry {

// $XDG_DATA_HOME/atelier, else ~/.local/share/atelier: where the data lies when nobody says otherwise.
std::filesystem::path usualHome();

// "" when none was chosen.
std::filesystem::path chosenHome();

// For the next start; makes the folder. "" takes the choice back. Fails with home.not_absolute or home.not_usable (args
// folder, and reason), and then leaves the choice as it was.
wire::Status chooseHome(const std::filesystem::path& home);

}  // namespace atelier::registry
