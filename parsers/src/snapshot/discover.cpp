#include "snapshot/discover.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "snapshot/compiled.h"

namespace egt::parsers {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxDepth = 24;              // of directories
constexpr int kMaxArchiveDepth = 3;        // of archives in archives
constexpr std::size_t kMaxFiles = 500000;

class Walk {
 public:
  Walk(fs::path root, Discovery& out) : root_(std::move(root)), out_(out) {}

  // Symbolic links are followed; a directory that is its own ancestor is not entered again.
  void directory(const fs::path& at, const std::string& relative, bool by_link, int depth) {
    std::error_code failed;
    const fs::path real = fs::canonical(at, failed);
    if (failed || !ancestors_.insert(real.string()).second) return;
    if (depth > kMaxDepth) {
      out_.remarks.push_back(fmt::format("{}: deeper than egtrace looks", relative));
    } else {
      children(at, relative, by_link, depth);
    }
    ancestors_.erase(real.string());
  }

 private:
  void children(const fs::path& at, const std::string& relative, bool by_link, int depth) {
    std::error_code failed;
    std::vector<fs::directory_entry> entries;
    for (fs::directory_iterator it(at, failed), end; !failed && it != end; it.increment(failed)) entries.push_back(*it);
    if (failed) out_.remarks.push_back(fmt::format("{}: {}", relative.empty() ? "." : relative, failed.message()));
    std::sort(entries.begin(), entries.end(),
              [](const auto& a, const auto& b) { return a.path().filename() < b.path().filename(); });
    for (const fs::directory_entry& entry : entries) child(entry, relative, by_link, depth);
  }

  void child(const fs::directory_entry& entry, const std::string& relative, bool by_link, int depth) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(".")) return;
    const std::string path = relative.empty() ? name : relative + "/" + name;
    std::error_code failed;
    const bool link = by_link || entry.is_symlink(failed);
    const fs::file_status status = entry.status(failed);
    if (fs::is_directory(status)) {
      directory(entry.path(), path, link, depth + 1);
    } else if (fs::is_regular_file(status)) {
      file(entry.path(), path, link);
    } else {
      out_.remarks.push_back(fmt::format("{}: {}", path, fs::exists(status) ? "no regular file, not opened" : "leads nowhere"));
    }
  }

  void file(const fs::path& at, const std::string& path, bool link) {
    if (out_.files.size() >= kMaxFiles) return;
    if (out_.files.size() + 1 == kMaxFiles) out_.remarks.push_back(path + ": more files than egtrace reads");
    FoundFile found;
    found.path = found.shown = path;
    found.by_link = link;
    std::error_code failed;
    found.identity = link ? fs::canonical(at, failed).string() : (root_ / path).string();
    if (failed) found.identity = at.string();
    out_.files.push_back(std::move(found));
  }

  fs::path root_;
  Discovery& out_;
  std::set<std::string> ancestors_;
};

void read_all(const fs::path& root, std::vector<FoundFile>& files, unsigned jobs) {
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < files.size(); i = next++) {
      Result<Content> content = read_content((root / files[i].path).string());
      if (content) {
        files[i].content = std::move(*content);
      } else {
        files[i].problem = content.error().message;
      }
    }
  };
  if (jobs == 0) jobs = std::max(1U, std::thread::hardware_concurrency());
  jobs = static_cast<unsigned>(std::min<std::size_t>({jobs, 64, files.size() / 8 + 1}));
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < jobs; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
}

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

// Where a link inside an archive leads, below the archive's root; empty when it leaves it.
std::string resolve_link(const ArchiveEntry& entry) {
  const bool absolute = entry.link_target.starts_with('/');
  const fs::path target = absolute ? fs::path(entry.link_target).relative_path()
                                   : fs::path(parent_of(entry.path)) / entry.link_target;
  const std::string normal = target.lexically_normal().string();
  return normal.starts_with("..") ? std::string() : normal;
}

void expand(FoundFile archive, Discovery& out, int depth);

void take_entry(FoundFile file, Discovery& out, int depth) {
  if (is_tar(file.content.text)) {
    expand(std::move(file), out, depth + 1);
  } else if (out.files.size() < kMaxFiles) {
    out.files.push_back(std::move(file));
  }
}

// An archive in a directory stands for a directory of its name. One given as the snapshot itself has no name in paths.
void expand(FoundFile archive, Discovery& out, int depth) {
  if (depth > kMaxArchiveDepth) {
    out.remarks.push_back(archive.shown + ": archives nested deeper than egtrace looks");
    return;
  }
  const std::string prefix = archive.path.empty() ? std::string() : archive.path + "/";
  std::map<std::string, FoundFile> entries;
  std::vector<std::pair<std::string, std::string>> links;   // path, target
  const ArchiveEnd end = read_tar(archive.content.text, [&](ArchiveEntry entry) {
    if (!entry.link_target.empty()) {
      links.emplace_back(entry.path, resolve_link(entry));
      return;
    }
    FoundFile file;
    file.path = file.shown = prefix + entry.path;
    file.identity = archive.shown + ":" + entry.path;
    file.content = std::move(entry.content);
    entries[entry.path] = std::move(file);
  });
  for (const auto& [path, target] : links) {
    const auto found = entries.find(target);
    if (found == entries.end() || entries.contains(path)) continue;
    FoundFile file = found->second;
    file.path = file.shown = prefix + path;
    file.by_link = true;
    entries.emplace(path, std::move(file));
  }
  if (!end.complete) out.remarks.push_back(fmt::format("{}: archive cut short: {}", archive.shown, end.why));
  for (auto& [path, file] : entries) take_entry(std::move(file), out, depth);
}

}  // namespace

FoundFile read_single(const std::string& path) {
  FoundFile file;
  file.path = path == "-" ? "" : fs::path(path).filename().string();
  file.shown = path == "-" ? "(standard input)" : path;
  file.identity = path;
  Result<Content> content = read_content(path);
  if (content) {
    file.content = std::move(*content);
  } else {
    file.problem = content.error().message;
  }
  return file;
}

Result<Discovery> discover(const std::string& path, unsigned jobs) {
  Discovery out;
  std::error_code failed;
  if (path != "-" && fs::is_directory(path, failed)) {
    Discovery listed;
    Walk(path, listed).directory(path, "", false, 0);
    read_all(path, listed.files, jobs);
    out.remarks = std::move(listed.remarks);
    for (FoundFile& file : listed.files) take_entry(std::move(file), out, 0);
    return out;
  }
  FoundFile file = read_single(path);
  if (!file.problem.empty()) return Error{fmt::format("{}: {}; name a snapshot's directory, archive or dump", file.shown, file.problem)};
  if (file.content.cut && file.content.text.empty()) {
    return Error{fmt::format("{}: cannot be decompressed: {}; copy it again", file.shown, file.content.cut_why)};
  }
  if (is_compiled(file.content.text)) {
    Result<std::vector<FoundFile>> files = open_compiled(std::move(file.content));
    if (!files) return Error{fmt::format("{}: {}", file.shown, files.error().message)};
    out.files = std::move(*files);
  } else if (is_tar(file.content.text)) {
    file.path.clear();
    expand(std::move(file), out, 1);
  } else {
    out.files.push_back(std::move(file));
  }
  return out;
}

}  // namespace egt::parsers
