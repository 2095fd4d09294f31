#include "quiz_card.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QRadioButton>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include "app/models/learn_model.h"
#include "app/shell/theme.h"
#include "parts.h"

namespace atelier::app {

namespace {

// A choice's text: it wraps, which a radio button's own text does not, and a click on it is a click on the button.
class ChoiceText : public QLabel {
 public:
  ChoiceText(const QString& text, QAbstractButton& button, QWidget* parent) : QLabel(text, parent), m_button(button) {
    setProperty("role", "body");
    setTextFormat(Qt::PlainText);
    setWordWrap(true);
    setCursor(Qt::PointingHandCursor);
  }

 protected:
  void mousePressEvent(QMouseEvent* event) override { event->accept(); }
  void mouseReleaseEvent(QMouseEvent* event) override {
    if (event->button() != Qt::LeftButton || !rect().contains(event->position().toPoint())) return;
    m_button.setFocus(Qt::MouseFocusReason);
    m_button.click();
  }

 private:
  QAbstractButton& m_button;
};

}  // namespace

QuizCard::QuizCard(const Theme& theme, LearnModel& model, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_model(model), m_column(new QVBoxLayout(this)) {
  setProperty("role", "plain");
  m_column->setContentsMargins(0, 0, 0, 0);
  m_column->setSpacing(12);
}

void QuizCard::refresh() {
  const auto* session = m_model.session();
  const bool any = session && !session->step().quiz.empty();
  setVisible(any);
  const auto step =
      session ? std::to_string(m_model.visit()) + "/" + session->lab().id + "/" + session->step().id : std::string();
  if (step != m_step || m_language != m_model.language()) {
    m_step = step;
    m_language = m_model.language();
    build();
  }
  if (any) judge();
}

void QuizCard::build() {
  clearLayout(m_column);
  m_items.clear();
  if (!m_model.session()) return;
  for (const auto& question : m_model.session()->step().quiz) addQuestion(question);
}

void QuizCard::addQuestion(const lab::Question& question) {
  auto* card = makePanel("card", this);
  auto* column = new QVBoxLayout(card);
  column->setContentsMargins(16, 12, 16, 12);
  column->setSpacing(8);
  auto* text = makeLabel("h2", card);
  text->setText(QString::fromStdString(question.text));
  column->addWidget(text);
  Item item{question.id, question.answer, new QButtonGroup(card), makeLabel("soft", card), makeLabel("body", card)};
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    const auto words = QString::fromStdString(question.choices[i]);
    auto* choice = new QRadioButton(card);
    name(choice, words);
    choice->setAccessibleDescription(text->text());
    item.choices->addButton(choice, static_cast<int>(i));
    auto* row = new QHBoxLayout;
    row->setSpacing(4);
    row->addWidget(choice, 0, Qt::AlignTop);
    row->addWidget(new ChoiceText(words, *choice, card), 1);
    column->addLayout(row);
  }
  item.explanation->setText(QString::fromStdString(question.explanation));
  column->addWidget(item.verdict);
  column->addWidget(item.explanation);
  connect(item.choices, &QButtonGroup::idClicked, this, [this, id = question.id](int choice) { m_model.answer(id, choice); });
  m_column->addWidget(card);
  m_items.append(item);
}

void QuizCard::judge() {
  const auto& session = *m_model.session();
  const auto& given = session.progress(session.step().id).quiz;
  for (const auto& item : m_items) {
    const auto found = given.find(item.id);
    const bool answered = found != given.end();
    item.verdict->setVisible(answered);
    item.explanation->setVisible(answered);
    if (!answered) continue;
    const QSignalBlocker quiet(item.choices);
    if (auto* button = item.choices->button(found->second)) button->setChecked(true);
    const bool right = found->second == item.answer;
    setRole(item.verdict, right ? QStringLiteral("good") : QStringLiteral("bad"));
    item.verdict->setText(m_model.text(right ? "app.quiz.right" : "app.quiz.wrong"));
  }
}

}  // namespace atelier::app
