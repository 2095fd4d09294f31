#include "run_session.h"

#include <fcntl.h>
#include <unistd.h>

#include <c10/util/Exception.h>

#include "core/engine/data/data_error.h"
#include "core/engine/techniques/training_error.h"

namespace atelier::worker {
namespace {

using wire::Error;
using wire::ExitCode;

// Runs the session and turns whatever it throws into an error: this is the one place where exceptions end.
std::optional<Error> guarded(engine::Session& session) {
  try {
    const auto status = session.run();
    if (!status.ok()) return status.error();
    return std::nullopt;
  } catch (const engine::DataError& problem) {
    return problem.error();
  } catch (const engine::TrainingError& problem) {
    return problem.error();
  } catch (const c10::OutOfMemoryError& problem) {
    return Error{ExitCode::OutOfMemory, {"run.out_of_memory", {{"detail", problem.what_without_backtrace()}}}};
  } catch (const c10::Error& problem) {
    return Error{ExitCode::Failed, {"run.exception", {{"detail", problem.what_without_backtrace()}}}};
  } catch (const std::bad_alloc&) {
    return Error{ExitCode::OutOfMemory, {"run.out_of_memory", {{"detail", "bad_alloc"}}}};
  } catch (const std::exception& problem) {
    return Error{ExitCode::Failed, {"run.exception", {{"detail", problem.what()}}}};
  }
}

// The profile of a run goes to its folder before the run is said to be finished: whoever hears that may read it.
void keepProfiles(engine::Session& session, Recorder& recorder, Ending& ending) {
  for (auto& made : session.takeProfiles()) {
    const auto spec = session.specOf(made.variant);
    for (const auto& summary : ending.summaries)
      if (summary.variant == made.variant) {
        ending.profiles.push_back(makeProfile(std::move(made), spec, summary));
        const auto written = writeProfile(recorder.folder(summary.id), ending.profiles.back());
        if (!written.ok() && !ending.failure) ending.failure = written.error();
        break;
      }
  }
}

}  // namespace

int claimStdout(bool events) {
  if (!events) return -1;
  const int ours = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  return ours;
}

ExitCode refuse(const Error& error, Recorder& recorder, const Console& console, bool json) {
  recorder.take("", wire::RunFailed{error.code, error.messages});
  console.fail(error);
  if (json) console.printJson({{"status", "failed"}, {"failure", wire::toJson(error.messages)}});
  return error.code;
}

std::vector<engine::Variant> withFolders(std::vector<engine::Variant> variants, const Recorder& recorder) {
  for (auto& variant : variants) variant.folder = recorder.folder(variant.run_id);
  return variants;
}

Ending runToEnd(engine::Session& session, Recorder& recorder, bool startup) {
  Ending ending;
  ending.failure = guarded(session);
  if (const auto unwritten = recorder.failure()) ending.failure = *unwritten;
  ending.status = ending.failure ? "failed" : session.interrupted() ? "interrupted" : "done";
  ending.summaries = session.summaries(ending.status);
  if (!ending.failure) keepProfiles(session, recorder, ending);
  for (auto& summary : ending.summaries) {
    if (!startup) summary.startup_milliseconds.reset();
    if (ending.failure) {
      summary.status = ending.status;
      summary.failure = ending.failure->messages;
      recorder.take(summary.variant, wire::RunFailed{ending.failure->code, ending.failure->messages});
    } else {
      recorder.take(summary.variant, wire::RunFinished{summary});
    }
  }
  return ending;
}

Ending runObeying(engine::Session& session, engine::Control& control, Input* input, Recorder& recorder, Console& console) {
  Ending ending;
  {
    const ControlThread controller(control, input);
    ending = runToEnd(session, recorder);
  }
  console.endProgress();
  return ending;
}

ExitCode exitCode(const Ending& ending) {
  if (ending.failure) return ending.failure->code;
  return ending.status == "interrupted" ? ExitCode::Interrupted : ExitCode::Done;
}

void closeRecords(Ending& ending, Recorder& recorder) {
  for (const auto& summary : ending.summaries) recorder.finish(summary);
  if (!ending.failure) ending.failure = recorder.failure();
}

}  // namespace atelier::worker
