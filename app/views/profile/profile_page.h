// ProfilePage: what the pages of the Profile view have in common: they show one opened trace, share its selection, and are
// filled when they are first seen with it, in another language or in another look. GUI thread.
#pragma once

#include <QWidget>

#include <functional>
#include <vector>

#include "app/models/trace_document.h"
#include "app/models/trace_selection.h"
#include "app/shell/view.h"
#include "core/wire/result.h"

namespace atelier::app {

class ProfilePage : public QWidget {
  Q_OBJECT
 public:
  ProfilePage(const Desktop& desktop, TraceSelection& selection, QWidget* parent = nullptr);

  // nullptr: nothing is open.
  void setContent(TraceDocument::ContentPtr content);
  const TraceDocument::ContentPtr& content() const { return m_content; }
  // The pictures of the page that can be saved, with a name for each; none by default.
  struct Picture {
    QString name;
    std::function<bool(const QString& file)> save;
  };
  virtual std::vector<Picture> pictures() { return {}; }

 Q_SIGNALS:
  void said(const std::vector<atelier::wire::Message>& messages);
  void showAsked();  // what is selected is to be shown in the timeline

 protected:
  // Shows the content, in words and colours of now.
  virtual void fill() = 0;
  // Another trace was opened: what is shown of the last one goes at once, for what is selected from now on is not in it.
  virtual void release() {}
  void refill();  // fill(), or when the page is next seen
  void showEvent(QShowEvent* event) override;

  const Desktop& m_desktop;
  TraceSelection& m_selection;

 private:
  TraceDocument::ContentPtr m_content;
  bool m_stale = true;
};

}  // namespace atelier::app
