#include "support/sample.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "egtrace/parsers/content.h"
#include "egtrace/parsers/snapshot.h"

namespace egt::testing {

namespace fs = std::filesystem;

Sample::Sample() {
  fs::copy(std::string(EGTRACE_SOURCE_DIR) + "/samples/egressip-secondary", directory_.path(), fs::copy_options::recursive);
}

std::string Sample::load(const std::string& file) const {
  const std::string path = directory_.path() + "/" + file;
  EXPECT_TRUE(fs::exists(path)) << file;
  const auto content = parsers::read_content(path);
  return content ? std::string(content->text) : std::string();
}

Sample& Sample::write(const std::string& file, const std::string& text) {
  write_file(directory_.path() + "/" + file, text);
  return *this;
}

Sample& Sample::remove(const std::string& file) {
  EXPECT_TRUE(fs::remove(directory_.path() + "/" + file)) << file;
  return *this;
}

Sample& Sample::copy(const std::string& file, const std::string& to) {
  fs::create_directories(fs::path(directory_.path() + "/" + to).parent_path());
  return write(to, load(file));
}

Sample& Sample::append(const std::string& file, const std::string& text) { return write(file, load(file) + text); }

Sample& Sample::replace(const std::string& file, const std::string& what, const std::string& with) {
  std::string text = load(file);
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()), ++count)
    text.replace(at, what.size(), with);
  EXPECT_GT(count, 0u) << file << ": " << what;
  return write(file, text);
}

Sample& Sample::without_lines(const std::string& file, const std::string& containing) {
  std::istringstream in(load(file));
  std::string kept;
  bool found = false;
  for (std::string line; std::getline(in, line);) {
    const bool gone = line.find(containing) != std::string::npos;
    found |= gone;
    if (!gone) kept += line + "\n";
  }
  EXPECT_TRUE(found) << file << ": " << containing;
  return write(file, kept);
}

Sample& Sample::without_record(const std::string& file, const std::string& containing) {
  const std::string text = load(file);
  std::string kept;
  bool found = false;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = text.find("\n\n", at);
    end = end == std::string::npos ? text.size() : end + 2;
    const std::string record = text.substr(at, end - at);
    const bool gone = record.find(containing) != std::string::npos;
    found |= gone;
    if (!gone) kept += record;
    at = end;
  }
  EXPECT_TRUE(found) << file << ": " << containing;
  return write(file, kept);
}

parsers::Snapshot Sample::open(bool as_intended) const {
  parsers::SnapshotRequest request{directory_.path(), {}, 1};
  request.presume = request.as_intended = as_intended;
  auto snapshot = parsers::open_snapshot(request);
  EXPECT_TRUE(snapshot);
  return std::move(*snapshot);
}

cluster::Cluster Sample::read() const { return std::move(open().cluster); }

}  // namespace egt::testing
