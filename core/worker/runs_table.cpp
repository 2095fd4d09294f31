#include "runs_table.h"

#include "present.h"

namespace atelier::worker {
namespace {

// Control characters, those of ASCII and U+0080 to U+009F, become spaces.
std::string plain(std::string text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
    if (c < 0x20 || c == 0x7f) text[i] = ' ';
    if (c == 0xc2 && next >= 0x80 && next < 0xa0) text.replace(i, 2, "  ");
  }
  return text;
}

std::string modelOf(const registry::RunRecord& run) {
  if (!run.spec.is_object()) return "—";
  const auto model = run.spec.find("model");
  return model != run.spec.end() && model->is_string() ? plain(model->get<std::string>()) : "—";
}

std::string tagsOf(const registry::RunRecord& run) {
  std::string all;
  for (const auto& tag : run.labels.tags) all += (all.empty() ? "" : ", ") + tag;
  return plain(all);
}

}  // namespace

std::vector<std::vector<std::string>> runRows(const Console& console, const std::vector<registry::RunRecord>& runs) {
  std::vector<std::vector<std::string>> rows{{console.text("figure.run"), console.text("option.model.label"),
                                              console.text("figure.status"), console.text("unit.samples_per_second"),
                                              console.text("figure.accuracy"), console.text("runs.name"),
                                              console.text("field.tag")}};
  for (const auto& run : runs) {
    const auto& s = run.summary;
    rows.push_back({run.id + (run.labels.pinned ? " ★" : ""), modelOf(run), plain(console.text("status." + s.status)),
                    s.samples_per_second ? console.format().number(s.samples_per_second->median, 4) : "—",
                    s.accuracy ? console.format().percent(*s.accuracy) : "—", plain(run.labels.name), tagsOf(run)});
  }
  return rows;
}

nlohmann::json labelsJson(const registry::Labels& labels) {
  return {{"name", labels.name}, {"note", labels.note}, {"tags", labels.tags}, {"pinned", labels.pinned}};
}

void listRuns(const Console& console, const Context& context, const std::vector<registry::RunRecord>& runs) {
  if (context.json) {
    auto all = nlohmann::json::array();
    for (const auto& run : runs) {
      all.push_back(wire::toJson(run.summary));
      all.back()["labels"] = labelsJson(run.labels);
    }
    console.printJson(all);
  } else if (runs.empty()) {
    console.print(console.text("runs.none"));
  } else {
    console.table(runRows(console, runs));
  }
}

void showRun(const Console& console, const Context& context, const registry::RunRecord& run) {
  if (context.json) {
    console.printJson({{"summary", wire::toJson(run.summary)},
                       {"spec", run.spec},
                       {"folder", run.folder.string()},
                       {"race", run.race},
                       {"labels", labelsJson(run.labels)}});
    return;
  }
  presentRun(console, run.summary);
  for (const auto& message : run.summary.failure) console.print(console.texts().text(message));
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](const char* label, const std::string& text) {
    if (!text.empty()) rows.push_back({console.text(label), text});
  };
  add("runs.name", plain(run.labels.name));
  add("field.tag", tagsOf(run));
  add("field.note", plain(run.labels.note));
  console.pairs(rows);
  console.print("\n" + run.folder.string());
}

}  // namespace atelier::worker
