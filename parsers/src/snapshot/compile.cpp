#include "egtrace/parsers/compile.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ovs_ofctl/compiled_parts.h"
#include "snapshot/compiled.h"
#include "snapshot/discover.h"

namespace egt::parsers {
namespace {

// The file that is this source as a whole and unchanged; null for pieces of a file and for texts that were made anew.
FileToCompile* file_of(std::vector<FileToCompile>& files, const Source& source) {
  const auto it = std::find_if(files.begin(), files.end(), [&](const FileToCompile& f) {
    return f.file->shown == source.path && f.file->content.text.size() == source.text.size() && source.first_line == 1;
  });
  return it == files.end() ? nullptr : &*it;
}

void keep(const ofctl::CompiledPart& part, const cluster::Cluster& cluster, std::vector<FileToCompile>& files) {
  if (part.found.empty()) return;
  if (FileToCompile* file = file_of(files, cluster.sources->at(part.source))) file->found = part.found;
}

// Reports of one dump are kept only where its file is used once.
void keep_large_dumps(const cluster::Cluster& cluster, std::vector<FileToCompile>& files) {
  for (const auto& node : cluster.nodes)
    for (const openflow::Bridge& bridge : node->bridges) {
      if (bridge.flows) keep(ofctl::compiled_flows(*bridge.flows, *cluster.sources), cluster, files);
      keep(ofctl::compiled_groups(bridge.groups), cluster, files);
    }
}

}  // namespace

Result<Compiled> compile_snapshot(const SnapshotRequest& asked, const std::string& path) {
  SnapshotRequest request = asked;
  request.follow_links = false;   // what the snapshot does not hold itself is not handed on with it
  if (!request.dumps.empty()) return Error{"--dump: not in a compiled snapshot; put the dump into the snapshot's directory"};
  if (request.path == "-") return Error{"(standard input): cannot be read twice; give the snapshot's path"};
  const Result<cluster::Cluster> cluster = read_snapshot(request);
  if (!cluster) return cluster.error();
  Result<Discovery> found = discover(request.path, {request.jobs, {}, nullptr});
  if (!found) return found.error();
  std::vector<FileToCompile> files;
  for (const FoundFile& f : found->files) files.push_back({&f, {}});
  keep_large_dumps(*cluster, files);

  const std::string unfinished = path + ".new";
  std::unique_ptr<FILE, int (*)(FILE*)> out(std::fopen(unfinished.c_str(), "wb"), [](FILE* f) { return std::fclose(f); });
  Compiled result;
  bool good = out != nullptr;
  if (good)
    write_compiled(files, [&](std::string_view bytes) {
      good = good && std::fwrite(bytes.data(), 1, bytes.size(), out.get()) == bytes.size();
      result.bytes += bytes.size();
    });
  good = good && std::fclose(out.release()) == 0 && std::rename(unfinished.c_str(), path.c_str()) == 0;
  if (!good) {
    const int why = errno;
    std::remove(unfinished.c_str());
    return Error{fmt::format("{}: cannot be written: {}", path, std::strerror(why))};
  }
  result.files = files.size();
  result.indexed = static_cast<std::size_t>(
      std::count_if(files.begin(), files.end(), [](const FileToCompile& f) { return !f.found.empty(); }));
  return result;
}

}  // namespace egt::parsers
