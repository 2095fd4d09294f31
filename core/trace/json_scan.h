// Reads JSON of any size piece by piece and says what stands in it, in order. Nothing is kept and nothing recurses. Three
// things that the JSON library refuses or loses are what trace files need: NaN and Infinity, which Python and Kineto write for
// numbers; names that are not UTF-8, handed on as they are; and each number as its digits, so that a time of nineteen of them
// stays exact. Internal to the room. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace atelier::trace {

class JsonSink {
 public:
  virtual ~JsonSink() = default;
  virtual void open(bool object) = 0;  // an object, else an array
  virtual void close() = 0;
  // Views are valid during the call.
  virtual void key(std::string_view text) = 0;
  virtual void text(std::string_view text) = 0;
  virtual void number(std::string_view digits) = 0;  // as JSON has them, or NaN, Infinity, -Infinity, nan, inf, -inf
  virtual void word(std::string_view word) = 0;      // true, false, null
};

struct JsonFault {
  enum class Kind { None, Unexpected, Ended, TooDeep } kind = Kind::None;
  std::int64_t at = 0;  // byte, from 0
  std::string found{};  // what stands there, printable
};

class JsonScanner {
 public:
  // `more`: the next piece of the text, empty at its end; it lives until the next call. `deepest`: objects and arrays in one
  // another that are taken. Texts of more than a mebibyte are handed on without what is beyond.
  JsonScanner(std::function<std::string_view()> more, JsonSink& sink, std::size_t deepest)
      : m_more(std::move(more)), m_sink(sink), m_deepest(deepest) {}

  // One value, with nothing but white space after it.
  JsonFault run();

 private:
  enum class Await { Value, ValueOrEnd, Key, KeyOrEnd, CommaOrEnd };

  bool refill();
  int next();         // the next byte; −1: the end
  int nextVisible();  // the next that is not white space
  bool step(int c);
  bool value(int c);
  bool member(int c);
  bool commaOrEnd(int c);
  bool open(char bracket);
  void close();
  bool quoted();
  bool escape();
  bool unicode();
  void settle();
  void put(std::string_view run);
  void putCharacter(unsigned character);
  bool bare(int c);
  std::int64_t position() const { return m_before + (m_at - m_begin); }
  bool fault(JsonFault::Kind kind, int c);
  bool faultAt(JsonFault::Kind kind, std::int64_t at, std::string found);

  std::function<std::string_view()> m_more;
  JsonSink& m_sink;
  std::size_t m_deepest;
  const char* m_begin = nullptr;
  const char* m_at = nullptr;
  const char* m_end = nullptr;
  std::int64_t m_before = 0;  // bytes of the pieces before this one
  std::string m_open;         // brackets
  std::string m_text;
  unsigned m_high = 0;  // the first half of a character written as two \u
  Await m_await = Await::Value;
  JsonFault m_fault;
};

}  // namespace atelier::trace
