#include "snapshot/discover.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <new>
#include <set>
#include <system_error>
#include <utility>

#include "egtrace/base/parallel.h"
#include "egtrace/parsers/out_of_memory.h"
#include "snapshot/compiled.h"
#include "snapshot/mapped_file.h"
#include "snapshot/preview.h"
#include "snapshot/seal_key.h"

namespace egt::parsers {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxDepth = 24;  // of directories
constexpr int kMaxLinks = 16;  // one behind the other
constexpr std::size_t kMaxFiles = 500000;
constexpr const char* kOutOfSnapshot = "a link out of the snapshot; not followed, --follow-links follows it";

// A directory without a file of its own, whose links were laid out to view dumps that lie elsewhere. What a collector
// packs, and what is slipped into it, has files beside its links.
bool is_view(const fs::path& root) {
  std::error_code failed;
  bool has_links = false;
  fs::recursive_directory_iterator it(root, fs::directory_options::skip_permission_denied, failed), end;
  for (; !failed && it != end; it.increment(failed)) {
    if (it.depth() > kMaxDepth) return false;
    const fs::file_status status = it->symlink_status(failed);
    if (!failed && !fs::is_symlink(status) && !fs::is_directory(status)) return false;
    has_links |= fs::is_symlink(status);
  }
  return has_links && !failed;
}

class Walk {
 public:
  Walk(fs::path root, bool follow_links, Discovery& out)
      : root_(std::move(root)), follow_links_(follow_links || is_view(root_)), out_(out) {
    std::error_code failed;
    real_root_ = fs::canonical(root_, failed);
  }

  // Symbolic links within the snapshot are followed; a directory that is its own ancestor is not entered again.
  void directory(const fs::path& at, const std::string& relative, bool by_link, int depth) {
    std::error_code failed;
    const fs::path real = fs::canonical(at, failed);
    if (failed || !ancestors_.insert(real.string()).second) return;
    if (depth > kMaxDepth) {
      out_.missing.push_back(fmt::format("{}: not read: more than {} folders in one another", relative, kMaxDepth));
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
    if (failed == std::errc::not_enough_memory) throw OutOfMemory(root_ / relative);
    if (failed) out_.remarks.push_back(fmt::format("{}: {}", relative.empty() ? "." : relative, failed.message()));
    std::sort(entries.begin(), entries.end(),
              [](const auto& a, const auto& b) { return a.path().filename() < b.path().filename(); });
    const fs::path around = report_;
    if (std::any_of(entries.begin(), entries.end(), begins_report)) report_ = fs::canonical(at, failed);
    for (const fs::directory_entry& entry : entries) child(entry, relative, by_link, depth);
    report_ = around;
  }

  static bool begins_report(const fs::directory_entry& entry) {
    const std::string name = entry.path().filename().string();
    return name == "sos_commands" || name == "cluster-scoped-resources";
  }

  static bool is_below(const fs::path& path, const fs::path& folder) {
    return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
  }

  // A link out of the snapshot would read, print and pack a file of the host that egtrace runs on. In a report such a link
  // means a file of the node that was collected. A link to a folder around the snapshot is never followed.
  std::string why_not_followed(const fs::directory_entry& entry) const {
    std::error_code failed;
    const fs::path target = fs::canonical(entry.path(), failed);
    if (failed) return {};  // leads nowhere, which is shown otherwise
    if (!report_.empty() && !is_below(target, report_)) return "leads out of the report; not followed";
    if (is_below(real_root_, target) && target != real_root_) return "leads to what is around the snapshot; not followed";
    if (!follow_links_ && !is_below(target, real_root_)) return kOutOfSnapshot;
    return {};
  }

  void child(const fs::directory_entry& entry, const std::string& relative, bool by_link, int depth) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(".")) return;
    const std::string path = relative.empty() ? name : relative + "/" + name;
    std::error_code failed;
    const bool is_link = entry.is_symlink(failed), link = by_link || is_link;
    if (const std::string why = is_link ? why_not_followed(entry) : std::string(); !why.empty()) {
      if (why == kOutOfSnapshot) out_.links_out.push_back(path);
      return out_.remarks.push_back(fmt::format("{}: {}", path, why));
    }
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
    if (out_.files.size() + 1 == kMaxFiles)
      out_.missing.push_back(fmt::format("{}: more than {} files; the rest was not read", path, kMaxFiles));
    FoundFile found;
    found.path = found.shown = path;
    found.by_link = link;
    std::error_code failed;
    found.identity = link ? fs::canonical(at, failed).string() : (root_ / path).string();
    if (failed) found.identity = at.string();
    out_.files.push_back(std::move(found));
  }

  fs::path root_, real_root_;
  bool follow_links_;
  fs::path report_;  // the support archive's tree that the walk is in; empty: none
  Discovery& out_;
  std::set<std::string> ancestors_;
};

// What one packed file holds.
class Unpacked : public ArchiveVisitor {
 public:
  Unpacked(const FoundFile& archive, SnapshotProgress* progress) : archive_(archive), progress_(progress) {}

  bool wants(const std::string& path, std::uint64_t size, std::string_view beginning) override {
    return path.empty() || worth_reading(path, size, beginning);  // empty: the user named this very file
  }

  void take(ArchiveMember member) override {
    if (progress_ != nullptr) {
      ++progress_->files;
      progress_->bytes += member.content.text.size();
    }
    FoundFile file;
    file.path = member.path.empty() ? archive_.path : member.path;
    file.shown = member.path.empty() || archive_.path == member.path ? archive_.shown : member.path;
    file.identity = archive_.shown + ":" + member.path;
    file.left_out = member.left_out;
    file.time = member.time;
    file.content = std::move(member.content);
    if (member.is_link)
      links_[file.path] = member.link_target;
    else
      files_[file.path] = std::move(file);  // of two of one name the later, as tar(1) has it
  }

  void remark(const std::string& path, const std::string& why) override {
    remarks_.push_back(fmt::format("{}: {}", path.empty() ? archive_.shown : path, why));
  }

  void missing(const std::string& path, const std::string& why) override {
    missing_.push_back(fmt::format("{}: {}", path.empty() ? archive_.shown : path, why));
  }

  void damaged(const std::string& path, const std::string& why) override {
    damaged_.emplace(path.empty() ? archive_.shown : path, why);
  }

  void hand_over(Discovery& out) {
    follow_links();
    for (auto& [path, file] : files_) out.files.push_back(std::move(file));
    std::move(remarks_.begin(), remarks_.end(), std::back_inserter(out.remarks));
    std::move(missing_.begin(), missing_.end(), std::back_inserter(out.missing));
    for (const auto& [path, why] : damaged_) out.damaged.push_back(fmt::format("{}: {}", path, why));
  }

 private:
  void follow_links() {
    std::vector<FoundFile> followed;
    for (const auto& [path, first] : links_) {
      std::string target = first;
      for (int i = 0; i < kMaxLinks && links_.contains(target); ++i) target = links_[target];
      const auto found = files_.find(target);
      if (files_.contains(path) || links_.contains(target)) continue;
      if (found == files_.end()) {
        if (!is_folder(target)) remark(path, "leads nowhere");
        continue;
      }
      FoundFile file = found->second;
      file.path = file.shown = path;
      file.by_link = true;
      followed.push_back(std::move(file));
    }
    for (FoundFile& file : followed) files_.emplace(file.path, std::move(file));
  }

  bool is_folder(const std::string& path) const {
    const auto below = files_.lower_bound(path + "/");
    return below != files_.end() && below->first.starts_with(path + "/");
  }

  const FoundFile& archive_;
  SnapshotProgress* progress_;
  std::map<std::string, FoundFile> files_;
  std::map<std::string, std::string> links_;
  std::vector<std::string> remarks_, missing_;
  std::map<std::string, std::string> damaged_;  // why, by path
};

// An archive in a directory stands for a directory of its name; one given as the snapshot itself has no name in paths.
void unpack(const FoundFile& file, std::string_view bytes, const std::string& folder, const DiscoverOptions& options,
            UnpackBudget& budget, Discovery& out) {
  Unpacked unpacked(file, options.progress);
  visit_packed(bytes, folder, unpacked, budget);
  unpacked.hand_over(out);
}

void read_whole_file(const std::string& path, FoundFile file, const std::string& folder, const DiscoverOptions& options,
                     UnpackBudget& budget, Discovery& out) {
  Result<Content> content = read_packed(path, options.limits);
  if (!content) {
    file.problem = content.error().message;
  } else if (is_packed(content->text)) {
    return unpack(file, content->text, folder, options, budget, out);
  } else {
    file.content = std::move(*content);
    const bool compiled = folder.empty() && is_compiled(file.content.text);  // the user named this very file
    file.left_out = !compiled && !worth_reading(file.path, file.content.text.size(), file.content.text.substr(0, kPreview));
    if (options.progress != nullptr) ++options.progress->files;
  }
  out.files.push_back(std::move(file));
}

void read_file(const std::string& path, FoundFile file, const std::string& folder, const DiscoverOptions& options,
               UnpackBudget& budget, Discovery& out) {
  const std::string shown = file.shown;
  try {
    read_whole_file(path, std::move(file), folder, options, budget, out);
  } catch (const OutOfMemory&) {
    throw;  // it knows which member of an archive
  } catch (const std::bad_alloc&) {
    throw OutOfMemory(shown);
  }
}

Result<Discovery> read_directory(const std::string& root, const DiscoverOptions& options) {
  Discovery listed;
  Walk(root, options.follow_links, listed).directory(root, "", false, 0);
  UnpackBudget budget(options.limits);
  std::vector<Discovery> read(listed.files.size());
  for_each_index(listed.files.size(), options.jobs, 1, [&](std::size_t i) {
    const std::string path = listed.files[i].path;
    read_file((fs::path(root) / path).string(), std::move(listed.files[i]), path, options, budget, read[i]);
  });
  Discovery out;
  out.remarks = std::move(listed.remarks);
  out.links_out = std::move(listed.links_out);
  out.missing = std::move(listed.missing);
  for (Discovery& some : read) {
    for (const FoundFile& file : some.files)
      if (file.problem == kChangedWhileRead) return Error{fmt::format("{}: {}", file.shown, file.problem)};
    std::move(some.files.begin(), some.files.end(), std::back_inserter(out.files));
    std::move(some.remarks.begin(), some.remarks.end(), std::back_inserter(out.remarks));
    std::move(some.missing.begin(), some.missing.end(), std::back_inserter(out.missing));
    std::move(some.damaged.begin(), some.damaged.end(), std::back_inserter(out.damaged));
  }
  return out;
}

}  // namespace

Result<Discovery> discover(const std::string& path, const DiscoverOptions& options) {
  std::error_code failed;
  if (path != "-" && fs::is_directory(path, failed)) return read_directory(path, options);
  FoundFile file;
  file.path = path == "-" ? "" : fs::path(path).filename().string();
  file.shown = path == "-" ? "(standard input)" : path;
  file.identity = path;
  const std::string shown = file.shown;
  UnpackBudget budget(options.limits);
  Discovery out;
  read_file(path, std::move(file), "", options, budget, out);
  for (FoundFile& found : out.files) {
    if (out.files.size() == 1 && found.shown == shown) found.left_out = false;  // the user means this very file
    if (!found.problem.empty())
      return Error{fmt::format("{}: {}; name a snapshot's directory, archive or dump", shown, found.problem)};
  }
  if (out.files.size() == 1 && out.files[0].shown == shown && out.files[0].content.cut && out.files[0].content.text.empty()) {
    return Error{fmt::format("{}: {}; copy it again", shown, out.files[0].content.cut_why)};
  }
  if (out.files.size() == 1 && is_compiled(out.files[0].content.text)) {
    Result<OpenedCompiled> opened = open_compiled(std::move(out.files[0].content), seal_key(Missing::leave));
    if (!opened) return Error{fmt::format("{}: {}", shown, opened.error().message)};
    out.files = std::move(opened->files);
    out.sections = std::move(opened->sections);
  }
  return out;
}

}  // namespace egt::parsers
