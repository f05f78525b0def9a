// What the C++ programs share: commands from standard input, samples, answers. See README.md.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace worker {

using Clock = std::chrono::steady_clock;

inline long long nanoseconds(Clock::duration d) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(d).count();
}

// Times `count` exchanges one by one, and prints the answer.
inline void each(unsigned count, const std::function<void(unsigned)> &exchange) {
  std::vector<long long> samples;
  samples.reserve(count + 1);
  const auto begun = Clock::now();
  auto before = begun;
  for (unsigned i = 0; i < count; ++i) {
    exchange(i);
    const auto after = Clock::now();
    samples.push_back(nanoseconds(after - before));
    before = after;
  }
  const long long total = nanoseconds(before - begun);
  if (samples.empty()) samples.push_back(total);
  std::sort(samples.begin(), samples.end());
  const std::size_t n = samples.size();
  std::printf("ok %lld %lld %lld %lld %lld %lld %lld\n", total, samples[n / 2], samples[n / 100],
              samples[n - 1 - n / 100], samples[n - 1 - n / 1000], samples.front(), samples.back());
}

// Times a flood as a whole, and prints the answer.
inline void all(const std::function<void()> &flood) {
  const auto begun = Clock::now();
  flood();
  const long long total = nanoseconds(Clock::now() - begun);
  std::printf("ok %lld %lld %lld %lld %lld %lld %lld\n", total, total, total, total, total, total,
              total);
}

// Polls until all messages of a flood have arrived, because the confirmation may overtake them.
inline void settle(std::uint64_t count, const std::function<std::uint64_t()> &confirm) {
  auto last = Clock::now();
  for (std::uint64_t arrived = 0; arrived < count;) {
    const auto more = confirm();
    const auto now = Clock::now();
    arrived += more;
    if (more > 0) last = now;
    if (now - last > std::chrono::seconds(20))
      throw std::runtime_error(std::to_string(arrived) + " of " + std::to_string(count) + " messages arrived");
  }
}

inline void cannot() { std::printf("no such command here\n"); }

// Reads commands until the end of the input. `carry_out` answers each.
inline void serve_commands(const std::function<void(const std::vector<std::string> &)> &carry_out) {
  std::printf("ready\n");
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream in(line);
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    try {
      carry_out(words);
    } catch (const std::exception &e) {
      // One line, like every answer.
      std::string what = e.what();
      std::replace(what.begin(), what.end(), '\n', ' ');
      std::printf("error %s\n", what.c_str());
    }
    std::fflush(stdout);
  }
}

inline unsigned number(const std::string &word) { return (unsigned)std::strtoul(word.c_str(), nullptr, 10); }

}  // namespace worker
