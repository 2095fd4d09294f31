// QCustomPlot's header uses Qt's keywords, which this program switches off (QT_NO_KEYWORDS). They are lent to it here, and the
// Qt headers that it needs are read before, so that no other header sees them.
#pragma once

#include <QtCore/QtCore>
#include <QtGui/QtGui>
#include <QtPrintSupport/QtPrintSupport>
#include <QtWidgets/QtWidgets>

#define signals Q_SIGNALS
#define slots Q_SLOTS
#define foreach Q_FOREACH
#include <qcustomplot.h>
#undef signals
#undef slots
#undef foreach
