#include "egtrace/parsers/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "egtrace/parsers/content.h"
#include "egtrace/parsers/format.h"
#include "egtrace/parsers/output_file.h"
#include "ovs_ofctl/compiled_parts.h"
#include "snapshot/compiled.h"
#include "snapshot/compiled_state.h"
#include "snapshot/discover.h"
#include "snapshot/mask.h"
#include "snapshot/readers_hash.h"
#include "snapshot/seal_key.h"

namespace egt::parsers {
namespace {

// The file that is this source as a whole and unchanged; null for pieces of a file and for texts that were made anew.
FileToCompile* file_of(std::vector<FileToCompile>& files, const Source& source) {
  const auto it = std::find_if(files.begin(), files.end(), [&](const FileToCompile& f) {
    return f.file->shown == source.path && !f.file->masked && f.file->content.text.size() == source.text.size() &&
           source.first_line == 1;
  });
  return it == files.end() ? nullptr : &*it;
}

// Reports of one dump are kept only where its file is used once.
void keep_large_dumps(const cluster::Cluster& cluster, std::vector<FileToCompile>& files) {
  for (const auto& node : cluster.nodes)
    for (ofctl::CompiledPart& part : ofctl::compiled_parts(*node, *cluster.sources))
      if (FileToCompile* file = file_of(files, cluster.sources->at(part.source))) file->found = std::move(part.found);
}

// Of a file into which dumps of several nodes were pasted it is none's.
NodesOfDumps nodes_of_dumps(const cluster::Cluster& cluster) {
  NodesOfDumps nodes;
  for (const cluster::DumpInfo& dump : cluster.dumps) {
    const auto [known, is_new] = nodes.try_emplace(dump.path, dump.node);
    if (!is_new && known->second != dump.node) known->second.clear();
  }
  return nodes;
}

// What is found in each file, and the sections of the whole.
std::vector<std::string> keep(const Snapshot& snapshot, unsigned jobs, const CompareFlows& compare,
                              std::vector<FileToCompile>& files) {
  // A private map stays behind, so that the texts are not those that were read.
  const bool flows = !snapshot.collection.translated_back;
  std::vector<FoundFile> opened;
  for (const FileToCompile& f : files) opened.push_back(file_to_open(f));
  KeptSnapshot kept = keep_snapshot(std::move(opened), nodes_of_dumps(snapshot.cluster), flows, jobs, compare);
  if (kept.sections.empty()) {
    if (flows) keep_large_dumps(snapshot.cluster, files);
  } else {
    for (FileToCompile& f : files) f.found = std::move(kept.found[f.file->path]);
  }
  return std::move(kept.sections);
}

// Files that show how the others were collected, and what they are.
bool is_about_the_snapshot(std::string_view path) {
  static constexpr std::string_view kNames[] = {"egtrace.yaml", "egtrace-collect.tsv", "sos_reports/manifest.json", "version.txt",
                                                "version",      "watermark.txt"};
  return std::any_of(std::begin(kNames), std::end(kNames), [&](std::string_view name) {
    return path.ends_with(name) && (path.size() == name.size() || path[path.size() - name.size() - 1] == '/');
  });
}

// Objects of kinds that no reader uses (Secrets, kubeconfigs, ConfigMaps) are no use.
bool is_used(const cluster::DumpInfo& dump) {
  return dump.kind != "unknown" && (dump.kind != kube_formats().front().kind || dump.understood > 0);
}

// The names of the others stay, for layouts are shown by them, and `inspect` lists them.
void leave_out_unused(const cluster::Cluster& cluster, std::vector<FoundFile>& files) {
  std::set<std::string_view> used;
  for (const cluster::DumpInfo& dump : cluster.dumps)
    if (is_used(dump)) used.insert(dump.path);
  for (FoundFile& file : files) {
    if (used.contains(file.shown) || is_about_the_snapshot(file.path)) continue;
    file.left_out = true;
    file.content = {};
  }
}

// Of a directory of nothing but links, which are followed.
bool is_from_outside(const FoundFile& file, const std::string& root) {
  return file.by_link && file.identity.starts_with("/") && !file.identity.starts_with(root + "/");
}

CompiledEntry entry_of(const FileToCompile& f, const std::string& root) {
  return {f.file->path,     f.file->content.text.size(),   !f.found.empty(), f.file->masked,
          f.file->left_out, is_from_outside(*f.file, root)};
}

}  // namespace

std::string_view compiled_by() { return readers_hash(); }

Result<Compiled> compile_snapshot(const SnapshotRequest& asked, const std::string& path, const CompareFlows& compare) {
  if (!asked.dumps.empty()) return Error{"--dump: not in a compiled snapshot; put the dump into the snapshot's directory"};
  if (asked.path == "-") return Error{"(standard input): cannot be read twice; give the snapshot's path"};
  SnapshotRequest request = asked;
  request.follow_links = false;  // what the snapshot does not hold itself is not handed on with it
  request.when_needed = true;    // nodes are read as they will be opened
  const Result<Snapshot> snapshot = open_snapshot(request);
  if (!snapshot) return snapshot.error();
  Result<Discovery> found = discover(request.path, {request.jobs, {}, nullptr});
  if (!found) return found.error();
  leave_out_unused(snapshot->cluster, found->files);
  mask_files(found->files, Masking::to_hand_on, request.jobs);
  std::vector<FileToCompile> files;
  for (const FoundFile& f : found->files) files.push_back({&f, {}});
  const std::vector<std::string> sections = keep(*snapshot, request.jobs, compare, files);
  Result<OutputFile> out = OutputFile::create(path, Readers::owner_alone);
  if (!out) return out.error();
  Compiled result;
  write_compiled(files, sections, seal_key(Missing::create), [&](std::string_view bytes) {
    out->write(bytes);
    result.bytes += bytes.size();
  });
  if (std::optional<std::string> changed = changed_file()) return Error{std::move(*changed)};
  if (std::string why = out->finish(); !why.empty()) return Error{std::move(why)};
  std::error_code failed;
  const std::string root = std::filesystem::canonical(request.path, failed).string();
  for (const FileToCompile& f : files) result.files.push_back(entry_of(f, root));
  return result;
}

}  // namespace egt::parsers
