// Texts a second through the tokenizer, one thread; tests/bench/tokenizer.py takes turns between it and the `tokenizers`
// library. From the repository's root; no Torch, no Qt:
//   g++ -std=c++20 -O2 -I. tests/bench/tokenizer.cpp core/pretrained/{added_tokens,piece_table,tokenizer,tokenizer_file}.cpp
//   core/pretrained/{tokenizer_json,tokenizer_reader,unicode_text,word_piece}.cpp core/wire/number.cpp -o /tmp/tokenizer
// Usage: tokenizer MODEL TEXTS [REPEATS, default 11]: the model's folder and a file with a text in each line. Prints a JSON
// object.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "core/pretrained/tokenizer.h"

namespace {

using namespace atelier;
using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::vector<std::string> linesOf(const char* file) {
  std::ifstream input(file, std::ios::binary);
  std::vector<std::string> lines;
  for (std::string line; std::getline(input, line);) lines.push_back(line);
  return lines;
}

// A number for all ids in their order: the peer must come to the same.
std::uint64_t fingerprint(const pretrained::Tokenizer& tokenizer, const std::vector<std::string>& texts, std::size_t& count) {
  pretrained::Encoding encoding;
  std::uint64_t all = 0;
  for (const auto& text : texts) {
    tokenizer.encode(text, 0, encoding);
    count += encoding.ids.size();
    for (const auto id : encoding.ids) all = all * 31 + static_cast<std::uint64_t>(id);
  }
  return all;
}

double encodeAll(const pretrained::Tokenizer& tokenizer, const std::vector<std::string>& texts) {
  pretrained::Encoding encoding;
  const auto begin = Clock::now();
  for (const auto& text : texts) tokenizer.encode(text, 0, encoding);
  return secondsSince(begin);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const auto repeats = static_cast<std::size_t>(argc > 3 ? std::max(1, std::atoi(argv[3])) : 11);
  const auto begin = Clock::now();
  const auto opened = pretrained::openTokenizer(argv[1]);
  const double opening = secondsSince(begin);
  const auto texts = linesOf(argv[2]);
  if (!opened || texts.empty()) return 3;
  std::size_t ids = 0;
  const auto all = fingerprint(**opened, texts, ids);
  std::vector<double> times;
  for (std::size_t i = 0; i < repeats; ++i) times.push_back(encodeAll(**opened, texts));
  std::sort(times.begin(), times.end());
  std::printf("{\"texts_per_second\": %.1f, \"open_milliseconds\": %.2f, \"ids\": %zu, \"fingerprint\": %llu}\n",
              static_cast<double>(texts.size()) / times[repeats / 2], opening * 1e3, ids, static_cast<unsigned long long>(all));
  return 0;
}
