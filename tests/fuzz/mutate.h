// Mutations of valid inputs that know a little of what texts are made of: numbers, words, lines, brackets. The same seed
// gives the same inputs. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace atelier::fuzz {

inline constexpr std::size_t kLargestInput = 1 << 17;  // bytes

class Mutator {
 public:
  // REQUIRES: pool is not empty.
  Mutator(std::vector<std::string> pool, std::vector<std::string> words, std::uint32_t seed)
      : m_pool(std::move(pool)), m_words(std::move(words)), m_generator(seed) {}

  // One of the pool, changed in one to six places.
  std::string next();

 private:
  std::size_t below(std::size_t bound) { return bound == 0 ? 0 : m_generator() % bound; }
  std::string word();
  void mutate(std::string& text);
  void changeBytes(std::string& text, std::size_t kind);
  void changeNumber(std::string& text);
  void swapLines(std::string& text);
  void nest(std::string& text);
  void splice(std::string& text);

  std::vector<std::string> m_pool, m_words;
  std::mt19937 m_generator;
};

}  // namespace atelier::fuzz
