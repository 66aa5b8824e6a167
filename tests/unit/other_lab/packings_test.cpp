// One snapshot, packed as people pack: the same machines and the same answers each time.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/pack.h"
#include "support/run.h"

namespace egt::testing {
namespace {

using nlohmann::json;
using Files = std::vector<PackedFile>;

const Files& sample() {
  static const Files files = files_below(std::string(EGTRACE_SOURCE_DIR) + "/samples/egressip-secondary");
  return files;
}

// "master-01-demo/ip_rule" → machine and file; of Kubernetes objects "k8s".
std::string machine_of(const PackedFile& file) { return file.name.substr(0, file.name.find('/')); }
std::string file_of(const PackedFile& file) { return file.name.substr(file.name.find('/') + 1); }
bool is_cluster_node(const std::string& machine) { return machine.ends_with("-demo"); }

std::string renamed_to(const std::function<std::string(const PackedFile&)>& name) {
  Files files = sample();
  for (PackedFile& file : files) file.name = name(file);
  return pack(files);
}

std::string as_it_is() { return pack(sample()); }

// `nodes/` with all machines, beside the objects.
std::string under_one_parent() {
  return renamed_to([](const PackedFile& f) { return machine_of(f) == "k8s" ? f.name : "nodes/" + f.name; });
}

std::string infrastructure_apart() {
  return renamed_to([](const PackedFile& f) {
    const std::string machine = machine_of(f);
    return machine == "k8s" || is_cluster_node(machine) ? f.name : "infra/" + f.name;
  });
}

std::string deep() {
  return renamed_to([](const PackedFile& f) {
    return machine_of(f) == "k8s" ? "case-4711/2026-03-01/cluster/objects/" + file_of(f) : "case-4711/2026-03-01/hosts/collected/" + f.name;
  });
}

std::string by_person() {
  return renamed_to([](const PackedFile& f) {
    const std::string machine = machine_of(f);
    return (machine == "k8s" ? "carol/" : is_cluster_node(machine) ? "alice/" : "bob/") + f.name;
  });
}

std::vector<std::string> machines() {
  std::vector<std::string> all;
  for (const PackedFile& f : sample())
    if (all.empty() || all.back() != machine_of(f)) all.push_back(machine_of(f));
  return all;
}

Files files_of(const std::string& machine) {
  Files some;
  std::copy_if(sample().begin(), sample().end(), std::back_inserter(some), [&](const PackedFile& f) { return machine_of(f) == machine; });
  return some;
}

std::string tar_of_tars() {
  Files outer;
  for (const std::string& machine : machines()) outer.push_back({"upload/" + machine + ".tar.gz", pack(files_of(machine), "gz")});
  return pack(outer);
}

// "[root@router ~]# ip rule", and what it printed.
std::string pasted(const std::string& machine) {
  std::string text;
  for (const PackedFile& f : files_of(machine)) {
    std::string command = file_of(f);
    std::replace(command.begin(), command.end(), '_', ' ');
    text += "[root@" + machine + " ~]# " + command + "\n" + f.text;
  }
  return text;
}

// Nodes as reports of sos, objects as of must-gather, the other machines as pasted text.
std::string mixed() {
  Files files;
  for (const PackedFile& f : sample()) {
    const std::string machine = machine_of(f);
    if (machine == "k8s") files.push_back({"must-gather.local.1/quay-io-1/cluster-scoped-resources/core/" + file_of(f), f.text});
    else if (is_cluster_node(machine)) files.push_back({"sosreport-" + machine + "-2026-03-01-abcdefg/sos_commands/networking/" + file_of(f), f.text});
  }
  for (const char* machine : {"router", "server"}) files.push_back({std::string(machine) + ".txt", pasted(machine)});
  return pack(files);
}

// All in one folder.
std::string flat() {
  Files files;
  for (const PackedFile& f : sample())
    if (machine_of(f) == "k8s") files.push_back({file_of(f), f.text});
  for (const std::string& machine : machines())
    if (machine != "k8s") files.push_back({machine + ".tar", pack(files_of(machine))});
  return pack(files);
}

// `excerpts`: what was pasted may be less than the commands printed, which takes the proof away and is said.
struct Packing { const char* name; std::string (*pack)(); bool excerpts = false; };

class Packings : public ::testing::TestWithParam<Packing> {};

json explained(const std::string& archive) {
  const TemporaryDirectory d;
  const Ran ran = run({EGTRACE_BINARY, "explain", d.file("snapshot.tar", archive), "--from", "demo-egress/requester-3a", "--to", "192.168.55.13:80",
                       "--format", "json"});
  return json::parse(ran.out);
}

json steps_of(const json& told) {
  json steps = json::array();
  for (const json& hop : told.at("paths").at(0).at("hops")) steps.push_back({hop.at("node"), hop.at("where"), hop.at("what")});
  return steps;
}

TEST_P(Packings, AnswerAlike) {
  static const json reference = explained(as_it_is());
  const json told = explained(GetParam().pack());
  for (const char* key : {"outcome", "summary"}) EXPECT_EQ(told.at(key), reference.at(key)) << key;
  EXPECT_EQ(steps_of(told), steps_of(reference));
  if (!GetParam().excerpts) {
    EXPECT_EQ(told.at("confidence"), reference.at("confidence"));
    return;
  }
  EXPECT_EQ(told.at("confidence"), "assumed");
  EXPECT_NE(told.at("assumptions").dump().find("the dump of policy rules is an excerpt"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Each, Packings,
                         ::testing::Values(Packing{"UnderOneParent", under_one_parent}, Packing{"InfrastructureApart", infrastructure_apart},
                                           Packing{"Flat", flat}, Packing{"Deep", deep}, Packing{"TarOfTars", tar_of_tars}, Packing{"Mixed", mixed, true},
                                           Packing{"ByPerson", by_person}),
                         [](const auto& packing) { return std::string(packing.param.name); });

}  // namespace
}  // namespace egt::testing
