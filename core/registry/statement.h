// A prepared SQLite statement that frees itself. step() gives SQLITE_ROW, SQLITE_DONE or an error, from preparing and binding
// too. A number that is not finite is stored by its name, because SQLite keeps NaN as NULL, which means "not measured" here.
// One thread, that of its database.
#pragma once

#include <sqlite3.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

namespace atelier::registry {

class Statement {
 public:
  Statement(sqlite3* database, const char* sql) { m_code = sqlite3_prepare_v2(database, sql, -1, &m_statement, nullptr); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { sqlite3_finalize(m_statement); }

  void bind(int at, std::int64_t value) { keep(sqlite3_bind_int64(m_statement, at, value)); }
  void bind(int at, const std::string& value) {
    keep(sqlite3_bind_text(m_statement, at, value.data(), static_cast<int>(value.size()), SQLITE_TRANSIENT));
  }
  void bind(int at, std::optional<double> value) {
    if (!value) keep(sqlite3_bind_null(m_statement, at));
    else if (std::isnan(*value)) keep(sqlite3_bind_text(m_statement, at, "NaN", 3, SQLITE_STATIC));
    else keep(sqlite3_bind_double(m_statement, at, *value));
  }
  int step() { return m_code != SQLITE_OK ? m_code : sqlite3_step(m_statement); }
  // Ready for the next values.
  void reset() { sqlite3_reset(m_statement); }

  std::int64_t integer(int column) { return sqlite3_column_int64(m_statement, column); }
  std::string text(int column) {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(m_statement, column));
    return bytes ? std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(m_statement, column))) : std::string();
  }
  std::optional<double> number(int column) {
    const int type = sqlite3_column_type(m_statement, column);
    if (type == SQLITE_NULL) return std::nullopt;
    return type == SQLITE_TEXT ? std::nan("") : sqlite3_column_double(m_statement, column);
  }

 private:
  void keep(int code) {
    if (m_code == SQLITE_OK) m_code = code;
  }

  sqlite3_stmt* m_statement = nullptr;
  int m_code = SQLITE_OK;
};

}  // namespace atelier::registry
