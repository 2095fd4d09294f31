// Where what the set-up installed lies: pretrained models and rated sentences. ATELIER_MODELS (a folder of models by name) and
// ATELIER_SENTENCES (the folder of the *_GroundTruth.txt files) stand in their place when they are set. Any thread.
#pragma once

#include <filesystem>
#include <vector>

namespace atelier::engine {

// Folders that hold models by name, for pretrained::findModel.
std::vector<std::filesystem::path> installedModels();

// For pretrained::readSentences. It may not be there.
std::filesystem::path sentencesFolder();

}  // namespace atelier::engine
