// Feeds a fuzz entry without libFuzzer: every file below the given paths, whole, cut and garbled, always the same way.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "egtrace/parsers/content.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kWholeBytes = 64 << 10;  // of one file: formats repeat, their beginnings differ
constexpr std::size_t kGarbledBytes = 8 << 10;

std::vector<std::string> files_below(const std::vector<std::string>& roots) {
  std::vector<std::string> files;
  for (const std::string& root : roots) {
    if (fs::is_regular_file(root)) files.push_back(root);
    if (!fs::is_directory(root)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      if (entry.is_regular_file()) files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

// A copy on the heap of exactly this size, so that the address sanitizer sees a read beyond its end.
void feed(const std::string& text) {
  const std::vector<std::uint8_t> bytes(text.begin(), text.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

void feed_garbled(std::string text, std::mt19937& random) {
  text.resize(std::min(text.size(), kGarbledBytes));
  if (text.empty()) return;
  const auto place = [&] { return static_cast<std::size_t>(random() % text.size()); };
  feed(text.substr(0, place()));
  std::string flipped = text;
  for (int i = 0; i < 16; ++i) flipped[place()] = static_cast<char>(random() & 0xff);
  feed(flipped);
  std::string torn = text;
  const std::size_t at = place();
  torn.erase(at, random() % 64);
  torn.insert(std::min(at, torn.size()), text.substr(place(), random() % 256));
  feed(torn);
  // Brackets are what recursion hangs on.
  static constexpr char kBrackets[] = "({[\"";
  feed(text.substr(0, place()) + std::string(4096, kBrackets[random() % 4]));
}

}  // namespace

int main(int argc, char** argv) {
  std::mt19937 random(20240101);
  std::size_t inputs = 0;
  feed("");
  for (const std::string& file : files_below({argv + 1, argv + argc})) {
    const auto content = egt::parsers::read_content(file);
    if (!content) continue;
    const std::string text(content->text.substr(0, kWholeBytes));
    feed(text);
    feed_garbled(text, random);
    ++inputs;
  }
  std::printf("%zu files, each whole, cut and garbled\n", inputs);
  return inputs > 0 ? 0 : 1;
}
