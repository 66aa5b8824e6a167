// Every text dump of the samples is printed back byte for byte, from the typed tree.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "egtrace/parsers/content.h"
#include "egtrace/parsers/format.h"
#include "egtrace/parsers/snapshot.h"

namespace {

namespace fs = std::filesystem;
using namespace egt::parsers;

std::vector<std::string> sample_files() {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(std::string(EGTRACE_SOURCE_DIR) + "/samples/egressip-secondary")) {
    if (entry.is_regular_file()) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool is_object_kind(const Format& format) {
  const auto objects = kube_formats();
  return std::any_of(objects.begin(), objects.end(), [&](const Format& f) { return f.kind == format.kind; });
}

TEST(RoundTrip, Samples) {
  std::size_t printed = 0;
  for (const std::string& path : sample_files()) {
    const auto content = read_content(path);
    ASSERT_TRUE(content) << path;
    Dump dump;
    dump.path = path;
    dump.command = command_of_path(path);
    dump.text = content->text;
    const Recognised found = recognise(dump);
    if (found.format == nullptr || is_object_kind(*found.format)) continue;
    std::string out;
    Report report;
    found.format->reprint(dump, out, report);
    EXPECT_TRUE(out == dump.text) << path << " as " << found.format->kind;
    EXPECT_TRUE(report.not_understood.empty()) << path;
    ++printed;
  }
  EXPECT_GT(printed, 150U);
}

}  // namespace
