// What every verb that measures shares: a session brought to its end, whatever ends it, with all that is said and recorded
// about its variants; and stdout kept for events. Main thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "control_thread.h"
#include "core/engine/session/session.h"
#include "core/wire/result.h"
#include "core/wire/summary.h"
#include "profile_files.h"
#include "recorder.h"

namespace atelier::worker {

// With --events stdout belongs to us alone: descriptor 1 becomes stderr, where libraries may write what they like. The
// descriptor for the events, or −1 without them.
int claimStdout(bool events);

// Says why nothing was run: as an event, in a sentence, and as an object where `json` wants one.
wire::ExitCode refuse(const wire::Error& error, Recorder& recorder, const Console& console, bool json);

struct Ending {
  std::string status;                       // done, interrupted, failed
  std::vector<wire::RunSummary> summaries;  // one a variant
  std::optional<wire::Error> failure;       // of the session or of its record
  std::vector<Profile> profiles{};          // of the variants that asked for one, as written to their folders
};

// The variants with the folders that the recorder makes for them, where their checkpoints go.
std::vector<engine::Variant> withFolders(std::vector<engine::Variant> variants, const Recorder& recorder);

// Runs the session and says each variant's last event; nothing that the session throws passes. `startup`: the process was
// started for this session, so that the time since then is the run's start-up.
Ending runToEnd(engine::Session& session, Recorder& recorder, bool startup = true);

// The same of a verb that is one session: it obeys signals and, where there is an `input`, the lines that control a run.
Ending runObeying(engine::Session& session, engine::Control& control, Input* input, Recorder& recorder, Console& console);

// What the program leaves to its caller.
wire::ExitCode exitCode(const Ending& ending);

// Writes each variant's summary; then nothing more is recorded of them. A failure to write is the ending's, if it had none.
void closeRecords(Ending& ending, Recorder& recorder);

}  // namespace atelier::worker
