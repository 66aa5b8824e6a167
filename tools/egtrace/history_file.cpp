#include "history_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "egtrace/parsers/output_file.h"

namespace egt::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostLines = 2000, kKeptLines = 1000;

std::string folder() {
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state == '/') return std::string(state) + "/egtrace";
  const char* home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? std::string(home) + "/.local/state/egtrace" : std::string();
}

bool is_plain(const std::string& line) {
  return !line.empty() &&
         std::none_of(line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; });
}

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> all;
  std::error_code failed;
  if (!fs::is_regular_file(path, failed)) return all;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (is_plain(line)) all.push_back(line);
  return all;
}

void write_anew(const std::string& path, const std::vector<std::string>& lines) {
  auto file = parsers::OutputFile::create(path, parsers::Readers::owner_alone);
  if (!file) return;
  for (const std::string& line : lines) file->write(line + "\n");
  (void)file->finish();
}

}  // namespace

HistoryFile::HistoryFile() {
  const std::string in = folder();
  std::error_code failed;
  if (in.empty()) return;
  const bool fresh = fs::create_directories(in, failed);
  if (failed) return;
  if (fresh) fs::permissions(in, fs::perms::owner_all, failed);
  path_ = in + "/history";
}

std::vector<std::string> HistoryFile::lines() const {
  std::vector<std::string> all = lines_of(path_);
  if (all.size() <= kMostLines) return all;
  all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(kKeptLines));
  write_anew(path_, all);
  return all;
}

void HistoryFile::append(const std::string& line) const {
  if (path_.empty() || !is_plain(line)) return;
  const int file = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (file < 0) return;
  struct stat info {};
  const std::string bytes = line + "\n";
  if (::fstat(file, &info) == 0 && S_ISREG(info.st_mode) && ::fchmod(file, 0600) == 0) [[maybe_unused]]
    const auto written = ::write(file, bytes.data(), bytes.size());
  ::close(file);
}

}  // namespace egt::cli
