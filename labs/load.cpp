#include "load.h"

#include "core/wire/run_spec.h"
#include "lab_file.h"
#include "lab_join.h"
#include "plain_text.h"
#include "toml_tree.h"

namespace atelier::lab {
namespace {

namespace fs = std::filesystem;

void append(std::vector<wire::Message>& all, const wire::Error& error) {
  all.insert(all.end(), error.messages.begin(), error.messages.end());
}

template <class T>
wire::Result<T> parsedFile(const fs::path& folder, const std::string& name,
                           wire::Result<T> (*parse)(std::string_view, const std::string&)) {
  const auto content = readLabFile(folder, name);
  if (!content.ok()) return content.error();
  return parse(*content, (folder / name).string());
}

wire::Status checkValues(const nlohmann::json& spec, const wire::Schema& schema, const wire::Message& where) {
  const auto parsed = wire::RunSpec::parse(schema, spec);
  if (parsed.ok()) return wire::success();
  wire::Error error{wire::ExitCode::Usage, where};
  append(error.messages, parsed.error());
  return error;
}

// Absent notes are no mistake: a lab can be taught without.
wire::Result<std::string> readNotes(const fs::path& folder, const std::string& name) {
  if (!isThere(folder / name)) return std::string();
  auto notes = readLabFile(folder, name);
  if (notes.ok() && !isUtf8(*notes))
    return wire::Error{wire::ExitCode::Usage, fileMessage("lab.not_utf8", (folder / name).string(), 1)};
  return notes;
}

void findRecordings(Lab& lab) {
  for (const auto& step : lab.steps) {
    if (!step.experiment) continue;
    const auto found = findRecording(lab.folder, step.id);
    if (!found) continue;
    if (found->ok()) lab.recorded[step.id] = found->value();
    else append(lab.notices, found->error());
  }
}

}  // namespace

wire::Result<Lab> loadLab(const fs::path& folder, std::string_view language) {
  const std::string suffix = std::string(language) + ".md";
  auto shape = parsedFile(folder, "lab.toml", parseLabShape);
  auto text = parsedFile(folder, suffix, parseLabText);
  auto notes = readNotes(folder, "instructor." + suffix);
  wire::Error mistakes{wire::ExitCode::Usage, std::vector<wire::Message>{}};
  if (!shape.ok()) append(mistakes.messages, shape.error());
  if (!text.ok()) append(mistakes.messages, text.error());
  if (!notes.ok()) append(mistakes.messages, notes.error());
  if (!mistakes.messages.empty()) return mistakes;
  auto lab = joinLab(std::move(shape).value(), *text, (folder / suffix).string());
  if (!lab.ok()) return lab;
  lab->instructor = std::move(notes).value();
  lab->language = language;
  lab->folder = folder;
  findRecordings(*lab);
  return lab;
}

wire::Status verifySpecs(const Lab& lab, const wire::Schema& schema) {
  wire::Error mistakes{wire::ExitCode::Usage, std::vector<wire::Message>{}};
  const auto file = (lab.folder / "lab.toml").string();
  for (const auto& step : lab.steps) {
    if (!step.experiment) continue;
    const auto where = fileMessage("lab.bad_spec", file, 0, {{"step", step.id}});
    auto b = step.experiment->spec;
    b.update(step.experiment->b);
    auto solved = b;
    solved.update(step.solution_knobs);
    for (const auto& spec : {step.experiment->spec, b, solved}) {
      const auto status = checkValues(spec, schema, where);
      if (status.ok()) continue;
      append(mistakes.messages, status.error());
      break;
    }
    for (const auto* list : {&step.experiment->knobs, &step.experiment->knobs_b})
      for (const auto& knob : *list)
        if (!schema.find(knob))
          mistakes.messages.push_back(fileMessage("lab.unknown_knob", file, 0,
                                                  {{"step", step.id}, {"key", knob}, {"nearest", schema.nearestKey(knob)}}));
  }
  if (!mistakes.messages.empty()) return mistakes;
  return wire::success();
}

}  // namespace atelier::lab
