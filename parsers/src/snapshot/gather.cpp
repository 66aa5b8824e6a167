#include "snapshot/gather.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "egtrace/parsers/format.h"
#include "snapshot/compiled.h"
#include "snapshot/flat_names.h"
#include "snapshot/mask.h"

namespace egt::parsers {
namespace {

constexpr std::string_view kSettingsName = "egtrace.yaml";

class Gathering {
 public:
  explicit Gathering(const SnapshotRequest& request) : request_(request) {}

  Result<Gathered> gather() {
    if (auto error = find_files()) return *error;
    return settle();
  }

  Result<Gathered> gather(std::vector<FoundFile> files) {
    out_.files = std::move(files);
    out_.root_files = out_.files.size();
    return settle();
  }

 private:
  Result<Gathered> settle() {
    if (auto error = find_settings()) return *error;
    if (!out_.settings_file) give_nodes_folders(out_.files, out_.root_files);  // else the user lists what is whose
    mask_files(out_.files, Masking::secrets, request_.jobs);
    return std::move(out_);
  }

  std::optional<Error> find_files() {
    if (!request_.path.empty()) {
      Result<Discovery> found = discover(request_.path, options());
      if (!found) return found.error();
      take_remarks(*found);
      out_.files = std::move(found->files);
      out_.sections = std::move(found->sections);
    }
    out_.root_files = out_.files.size();
    for (const std::string& text : request_.dumps) {
      if (auto error = add_dump_argument(text)) return error;
    }
    return std::nullopt;
  }

  void take_remarks(Discovery& found) {
    for (std::string& remark : found.remarks) out_.remarks.push_back(std::move(remark));
    for (const std::string& damaged : found.damaged)
      out_.remarks.push_back(damaged + ": what was read of it may be wrong; copy it again");
    for (const std::string& missing : found.missing) out_.remarks.push_back(missing);
    std::move(found.missing.begin(), found.missing.end(), std::back_inserter(out_.missing));
    std::move(found.links_out.begin(), found.links_out.end(), std::back_inserter(out_.links_out));
    std::move(found.damaged.begin(), found.damaged.end(), std::back_inserter(out_.damaged));
  }

  DiscoverOptions options() const {
    DiscoverOptions options;
    options.jobs = request_.jobs;
    options.progress = request_.progress;
    options.follow_links = request_.follow_links;
    return options;
  }

  std::optional<Error> add_dump_argument(const std::string& text) {
    Result<DumpArgument> argument = parse_dump_argument(text);
    if (!argument) return argument.error();
    Result<Discovery> found = discover(argument->path, options());
    if (!found) return Error{found.error().message + "; --dump takes [NODE:][KIND=]PATH"};
    take_remarks(*found);
    for (FoundFile& file : found->files) {
      out_.arguments[out_.files.size()] = *argument;
      out_.files.push_back(std::move(file));
    }
    return std::nullopt;
  }

  // The root of an archive is, as a rule, one folder in which everything lies.
  std::string common_folder() const {
    if (out_.root_files == 0) return {};
    const std::string folder = out_.files[0].path.substr(0, out_.files[0].path.find('/') + 1);
    for (std::size_t i = 0; i < out_.root_files; ++i) {
      if (!out_.files[i].path.starts_with(folder)) return {};
    }
    return folder;
  }

  std::optional<Error> find_settings() {
    const std::string folder = common_folder();
    for (std::size_t i = 0; i < out_.root_files; ++i) {
      FoundFile& file = out_.files[i];
      const bool inner = file.path == folder + std::string(kSettingsName);
      if (file.path != kSettingsName && !inner) continue;
      if (auto error = take_settings(file)) return error;
      if (inner) out_.settings.root = folder;
      out_.settings_file = std::move(file);
      out_.files.erase(out_.files.begin() + static_cast<std::ptrdiff_t>(i));
      shift_arguments();
      return std::nullopt;
    }
    return std::nullopt;
  }

  std::optional<Error> take_settings(const FoundFile& file) {
    check_ends(file);
    if (file.unchecked) file.unchecked->check(file.content.text.data(), file.content.text.size());
    Result<SnapshotSettings> settings = parse_settings(file.content.text);
    if (!settings) return Error{fmt::format("{}:{}; see docs/formats/snapshot.md", file.shown, settings.error().message)};
    out_.settings = std::move(*settings);
    for (const auto& dump : out_.settings.dumps) {
      if (dump.kind.empty() || find_format(dump.kind) != nullptr) continue;
      return Error{fmt::format("{}:{}: unknown kind `{}`; `egtrace parse --help` lists them", file.shown, dump.line, dump.kind)};
    }
    return std::nullopt;
  }

  void shift_arguments() {
    std::map<std::size_t, DumpArgument> shifted;
    for (auto& [index, argument] : out_.arguments) shifted.emplace(index - 1, std::move(argument));
    out_.arguments = std::move(shifted);
    --out_.root_files;
  }

  const SnapshotRequest& request_;
  Gathered out_;
};

}  // namespace

Result<Gathered> gather(const SnapshotRequest& request) { return Gathering(request).gather(); }
Result<Gathered> gather(const SnapshotRequest& request, std::vector<FoundFile> files) {
  return Gathering(request).gather(std::move(files));
}

}  // namespace egt::parsers
