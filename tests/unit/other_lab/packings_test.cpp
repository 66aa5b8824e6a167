// A snapshot, packed as people pack: the same nodes and the same answers each time. One of samples/, and one of the other lab.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "support/pack.h"
#include "support/run.h"

namespace egt::testing {
namespace {

using nlohmann::json;
using Files = std::vector<PackedFile>;

// NODE/FILE, of Kubernetes objects k8s/FILE.
struct PackedSnapshot {
  Files files;
  std::string from, to;
};

PackedSnapshot snapshot_of_samples() {
  return {files_below(std::string(EGTRACE_SOURCE_DIR) + "/samples/egressip-secondary"), "demo-egress/requester-3a",
          "192.168.55.13:80"};
}

PackedSnapshot snapshot_of_lab() {
  const TemporaryDirectory folder;
  const std::string archive = std::string(EGTRACE_SOURCE_DIR) + "/tests/lab/plain.tar.xz";
  EXPECT_EQ(0, run({"tar", "-xJf", archive, "--strip-components=1", "-C", folder.path()}).status);
  return {files_below(folder.path()), "other/client-2", "203.0.113.13:80"};
}

// Whether it has a switch.
bool is_cluster_node(const Files& files, const std::string& node) {
  return std::any_of(files.begin(), files.end(), [&](const PackedFile& f) { return f.name == node + "/ovs-vsctl_show"; });
}

std::string node_of(const PackedFile& file) { return file.name.substr(0, file.name.find('/')); }
std::string file_of(const PackedFile& file) { return file.name.substr(file.name.find('/') + 1); }

std::string renamed_to(Files files, const std::function<std::string(const PackedFile&)>& name) {
  for (PackedFile& file : files) file.name = name(file);
  return pack(files);
}

std::string as_it_is(const Files& all) { return pack(all); }

// `nodes/` with all nodes, beside the objects.
std::string under_one_parent(const Files& all) {
  return renamed_to(all, [&](const PackedFile& f) { return node_of(f) == "k8s" ? f.name : "nodes/" + f.name; });
}

std::string infrastructure_apart(const Files& all) {
  return renamed_to(all, [&](const PackedFile& f) {
    const std::string node = node_of(f);
    return node == "k8s" || is_cluster_node(all, node) ? f.name : "infra/" + f.name;
  });
}

std::string deep(const Files& all) {
  return renamed_to(all, [&](const PackedFile& f) {
    return node_of(f) == "k8s" ? "case-4711/2026-03-01/cluster/objects/" + file_of(f)
                               : "case-4711/2026-03-01/hosts/collected/" + f.name;
  });
}

std::string by_person(const Files& all) {
  return renamed_to(all, [&](const PackedFile& f) {
    const std::string node = node_of(f);
    return (node == "k8s" ? "carol/" : is_cluster_node(all, node) ? "alice/" : "bob/") + f.name;
  });
}

std::vector<std::string> nodes(const Files& files) {
  std::vector<std::string> all;
  for (const PackedFile& f : files)
    if (all.empty() || all.back() != node_of(f)) all.push_back(node_of(f));
  return all;
}

Files files_of(const Files& all, const std::string& node) {
  Files some;
  std::copy_if(all.begin(), all.end(), std::back_inserter(some), [&](const PackedFile& f) { return node_of(f) == node; });
  return some;
}

std::string tar_of_tars(const Files& all) {
  Files outer;
  for (const std::string& node : nodes(all)) outer.push_back({"upload/" + node + ".tar.gz", pack(files_of(all, node), "gz")});
  return pack(outer);
}

// "[root@router ~]# ip rule", and what it printed.
std::string pasted(const Files& all, const std::string& node) {
  std::string text;
  for (const PackedFile& f : files_of(all, node)) {
    const bool is_packed = f.name.ends_with(".gz");
    std::string command = file_of(f);
    if (is_packed) command.resize(command.size() - 3);
    std::replace(command.begin(), command.end(), '_', ' ');
    text += "[root@" + node + " ~]# " + command + "\n" + (is_packed ? run({"gzip", "-dc"}, f.text).out : f.text);
  }
  return text;
}

// Nodes as reports of sos, objects as of must-gather, the other nodes as pasted text.
std::string mixed(const Files& all) {
  Files files;
  for (const PackedFile& f : all) {
    const std::string node = node_of(f);
    if (node == "k8s")
      files.push_back({"must-gather.local.1/quay-io-1/cluster-scoped-resources/core/" + file_of(f), f.text});
    else if (is_cluster_node(all, node))
      files.push_back({"sosreport-" + node + "-2026-03-01-abcdefg/sos_commands/networking/" + file_of(f), f.text});
  }
  for (const char* node : {"router", "server"}) files.push_back({std::string(node) + ".txt", pasted(all, node)});
  return pack(files);
}

// All in one folder.
std::string flat(const Files& all) {
  Files files;
  for (const PackedFile& f : all)
    if (node_of(f) == "k8s") files.push_back({file_of(f), f.text});
  for (const std::string& node : nodes(all))
    if (node != "k8s") files.push_back({node + ".tar", pack(files_of(all, node))});
  return pack(files);
}

// One file beside the other, of which the names begin with the node's.
std::string flat_files(const Files& all) {
  return renamed_to(all, [&](const PackedFile& f) { return node_of(f) == "k8s" ? file_of(f) : node_of(f) + "_" + file_of(f); });
}

// `excerpts`: what was pasted may be less than the commands printed, which takes the proof away and is said.
struct Packing {
  const char* name;
  std::string (*pack)(const Files&);
  bool excerpts = false;
};
struct PackedSource {
  const char* name;
  PackedSnapshot (*read)();
};

class Packings : public ::testing::TestWithParam<std::tuple<PackedSource, Packing>> {};

json explained(const PackedSnapshot& scenario, const std::string& archive) {
  const TemporaryDirectory d;
  const Ran ran = run({EGTRACE_BINARY, "explain", d.file("snapshot.tar", archive), "--from", scenario.from, "--to", scenario.to,
                       "--format", "json"});
  return json::parse(ran.out);
}

json steps_of(const json& shown) {
  json steps = json::array();
  for (const json& hop : shown.at("paths").at(0).at("hops")) steps.push_back({hop.at("node"), hop.at("where"), hop.at("what")});
  return steps;
}

TEST_P(Packings, AnswerAlike) {
  const auto& [source, packing] = GetParam();
  const PackedSnapshot scenario = source.read();
  const json reference = explained(scenario, as_it_is(scenario.files));
  const json shown = explained(scenario, packing.pack(scenario.files));
  EXPECT_EQ(reference.at("outcome"), "answered");
  for (const char* key : {"outcome", "summary"}) EXPECT_EQ(shown.at(key), reference.at(key)) << key;
  EXPECT_EQ(steps_of(shown), steps_of(reference));
  if (!packing.excerpts) {
    EXPECT_EQ(shown.at("confidence"), reference.at("confidence"));
    return;
  }
  EXPECT_EQ(shown.at("confidence"), "assumed");
  EXPECT_NE(shown.at("assumptions").dump().find("the dump of policy rules is an excerpt"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    Each, Packings,
    ::testing::Combine(::testing::Values(PackedSource{"Samples", snapshot_of_samples}, PackedSource{"Lab", snapshot_of_lab}),
                       ::testing::Values(Packing{"UnderOneParent", under_one_parent},
                                         Packing{"InfrastructureApart", infrastructure_apart}, Packing{"Flat", flat},
                                         Packing{"FlatFiles", flat_files}, Packing{"Deep", deep},
                                         Packing{"TarOfTars", tar_of_tars}, Packing{"Mixed", mixed, true},
                                         Packing{"ByPerson", by_person})),
    [](const auto& param) { return std::string(std::get<0>(param.param).name) + std::get<1>(param.param).name; });

}  // namespace
}  // namespace egt::testing
