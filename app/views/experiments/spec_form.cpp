#include "spec_form.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <array>

#include "app/models/learn_model.h"
#include "app/models/words.h"
#include "app/shell/actions.h"
#include "app/shell/theme.h"
#include "app/views/learn/parts.h"
#include "core/wire/run_spec.h"
#include "spec_row.h"

namespace atelier::app {

namespace {

constexpr int kLeastHeight = 220;
constexpr std::array<const char*, 6> kOrder{"model", "data", "training", "memory", "machine", "measurement"};

std::size_t placeOf(const std::string& group) {
  return static_cast<std::size_t>(std::find(kOrder.begin(), kOrder.end(), group) - kOrder.begin());
}

bool sameKeys(const wire::Schema& a, const wire::Schema& b) {
  return std::equal(a.options().begin(), a.options().end(), b.options().begin(), b.options().end(),
                    [](const wire::Option& one, const wire::Option& other) { return one.key == other.key; });
}

}  // namespace

SpecForm::SpecForm(const Desktop& desktop, QWidget* parent)
    : QWidget(parent), m_theme(desktop.theme), m_words(desktop.words), m_learn(desktop.learn) {
  setProperty("role", "plain");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(8);
  buildHead(*column);
  auto* scroll = new QScrollArea(this);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setFocusPolicy(Qt::NoFocus);
  m_body = makePanel("plain");
  m_rows = new QVBoxLayout(m_body);
  m_rows->setContentsMargins(0, 0, 8, 0);
  m_rows->setSpacing(8);
  scroll->setWidget(m_body);
  column->addWidget(scroll, 1);
  setMinimumHeight(m_theme.px(kLeastHeight));
  m_undo = makeAction(this, m_words, "spec.undo", {QKeySequence(QKeySequence::Undo)}, [this] { undo(); });
  m_redo = makeAction(this, m_words, "spec.redo", {QKeySequence(QKeySequence::Redo)}, [this] { redo(); });
  // Only while the focus is within: the page around may have something of its own to undo.
  for (auto* action : {m_undo, m_redo}) action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  connect(&m_learn, &LearnModel::changed, this, &SpecForm::takeSchema);
  connect(&m_words, &Words::changed, this, &SpecForm::build);
  connect(&desktop.theme, &Theme::changed, this, &SpecForm::build);
  m_edit.setSchema(m_learn.schema());
  build();
}

void SpecForm::buildHead(QVBoxLayout& column) {
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  row->addWidget(m_search = new QLineEdit(this), 1);
  row->addWidget(m_more = makeButton("link", this));
  row->addWidget(m_resetAll = makeButton("link", this));
  column.addLayout(row);
  m_search->setClearButtonEnabled(true);
  m_search->setObjectName(QStringLiteral("spec.search"));
  m_more->setCheckable(true);
  m_more->setObjectName(QStringLiteral("spec.more"));
  m_resetAll->setObjectName(QStringLiteral("spec.reset_all"));
  column.addWidget(m_waiting = makeLabel("soft", this));
  m_strayPanel = makePanel("problem", this);
  auto* stray = new QHBoxLayout(m_strayPanel);
  stray->addWidget(m_strays = makeLabel("body", m_strayPanel), 1);
  stray->addWidget(m_drop = makeButton("link", m_strayPanel), 0, Qt::AlignTop);
  m_drop->setObjectName(QStringLiteral("spec.drop"));
  column.addWidget(m_strayPanel);
  column.addWidget(m_nothing = makeLabel("soft", this));
  connect(m_search, &QLineEdit::textChanged, this, &SpecForm::sift);
  connect(m_more, &QPushButton::toggled, this, [this] {
    retext();
    sift();
  });
  connect(m_resetAll, &QPushButton::clicked, this, [this] {
    m_edit.resetAll();
    told();
  });
  connect(m_drop, &QPushButton::clicked, this, [this] {
    m_edit.dropStrays();
    told();
  });
}

void SpecForm::takeSchema() {
  if (sameKeys(m_edit.schema(), m_learn.schema())) return;
  m_edit.setSchema(m_learn.schema());
  build();
}

void SpecForm::setSpec(const nlohmann::json& spec) {
  m_edit.setSpec(spec);
  refresh();
}

void SpecForm::setReference(const nlohmann::json& spec) {
  m_againstReference = spec.is_object();
  m_edit.setReference(spec);
  refresh();
}

void SpecForm::undo() {
  m_edit.undo();
  told();
}

void SpecForm::redo() {
  m_edit.redo();
  told();
}

void SpecForm::told() {
  refresh();
  Q_EMIT changed();
}

void SpecForm::build() {
  clearLayout(m_rows);
  m_groups.clear();
  for (const auto& option : m_edit.schema().options()) {
    const auto found = std::find_if(m_groups.begin(), m_groups.end(), [&](const Group& g) { return g.name == option.group; });
    if (found == m_groups.end()) m_groups.push_back({nullptr, {}, option.group});
  }
  std::stable_sort(m_groups.begin(), m_groups.end(),
                   [](const Group& a, const Group& b) { return placeOf(a.name) < placeOf(b.name); });
  for (auto& group : m_groups) {
    group.title = makeLabel("overline", m_body);
    group.title->setText(m_words.text("group." + group.name).toUpper());
    m_rows->addWidget(group.title);
    // The common ones first: the others come and go below them.
    for (const bool common : {true, false})
      for (const auto& option : m_edit.schema().options())
        if (option.group == group.name && option.common == common) addRow(group, option);
  }
  m_rows->addStretch(1);
  retext();
  refresh();
}

void SpecForm::addRow(Group& group, const wire::Option& option) {
  auto* row = new SpecRow(m_theme, m_words, option, m_body);
  group.rows.push_back(row);
  m_rows->addWidget(row);
  connect(row, &SpecRow::typed, this, [this, key = option.key](const QString& text) {
    m_edit.type(key, text.toStdString());
    told();
  });
  connect(row, &SpecRow::settled, this, [this] { m_edit.seal(); });
  connect(row, &SpecRow::resetAsked, this, [this, key = option.key] {
    m_edit.reset(key);
    told();
  });
}

QString SpecForm::problem() const {
  const auto& schema = m_learn.schema();
  if (schema.options().empty()) {
    const auto* error = m_learn.schemaError();
    return error ? m_words.text(error->messages) : m_words.text("app.run.no_schema");
  }
  const auto spec = wire::RunSpec::parse(schema, m_edit.spec());
  return spec ? QString() : m_words.text(spec.error().messages);
}

void SpecForm::retext() {
  m_search->setPlaceholderText(m_words.text("specform.search"));
  name(m_search, m_words.text("specform.search"));
  m_more->setText(m_words.text(m_more->isChecked() ? "specform.less" : "specform.more"));
  m_resetAll->setText(m_words.text(m_againstReference ? "specform.reset_all.reference" : "specform.reset_all"));
  m_drop->setText(m_words.text("specform.drop"));
  m_nothing->setText(m_words.text("specform.nothing_found"));
  const bool waiting = m_edit.schema().options().empty();
  showText(m_waiting, waiting ? m_words.text("app.run.no_schema") : QString());
  m_search->setEnabled(!waiting);
}

void SpecForm::refresh() {
  const char* note = m_againstReference ? "specform.instead" : "specform.default";
  bool any = false;
  for (const auto& group : m_groups)
    for (auto* row : group.rows) {
      const auto& key = row->option().key;
      SpecRow::Shown shown{m_edit.typed(key), {}, {}};
      if (m_edit.differs(key)) shown.note = m_words.text(wire::Message{note, {{"value", m_edit.reference(key)}}});
      if (const auto mistake = m_edit.mistake(key)) shown.mistake = m_words.text(*mistake);
      any = any || !shown.note.isEmpty();
      row->fill(shown);
    }
  QStringList strays;
  for (const auto& [key, value] : m_edit.strays().items()) strays << QString::fromStdString(key);
  m_strayPanel->setVisible(!strays.isEmpty() && !m_groups.empty());
  m_strays->setText(
      m_words.text(wire::Message{"specform.strays", {{"keys", strays.join(QStringLiteral(", ")).toStdString()}}}));
  m_resetAll->setEnabled(any);
  m_undo->setEnabled(m_edit.canUndo());
  m_redo->setEnabled(m_edit.canRedo());
  retext();
  sift();
}

void SpecForm::sift() {
  const auto words = m_search->text().trimmed();
  bool any = false;
  for (const auto& group : m_groups) {
    bool inGroup = false;
    for (auto* row : group.rows) {
      const auto& option = row->option();
      const bool matters =
          option.common || m_more->isChecked() || m_edit.differs(option.key) || m_edit.mistake(option.key).has_value();
      const bool shown = words.isEmpty() ? matters : row->matches(words);
      row->setVisible(shown);
      inGroup = inGroup || shown;
    }
    group.title->setVisible(inGroup);
    any = any || inGroup;
  }
  m_nothing->setVisible(!any && !m_groups.empty());
}

}  // namespace atelier::app
