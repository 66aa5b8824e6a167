// Databases and Kubernetes objects alone, as people hand them over: what clients at pods saw must follow from them in at least 80 %
// of the cases, something else in at most 15 % (faults of hosts, which no database shows), and nothing may be proven. Over the
// lab's databases, and some scenarios of ../shared/corpus where that is at hand; EGTRACE_ALL_SCENARIOS=1 takes all of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "egtrace/explain/explainer.h"
#include "egtrace/parsers/snapshot.h"
#include "support/pack.h"
#include "support/run.h"

namespace egt::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Files = std::vector<PackedFile>;

struct Case {
  std::string from, to, proto;
  std::uint16_t sport = 0;
  std::string outcome;
};
struct Scenario {
  Files files;  // NODE/ovnnb_db.db, NODE/ovnsb_db.db, k8s/FILE; databases perhaps compressed
  std::vector<Case> cases;
};

// --- what was measured ---------------------------------------------------------------------------------------------

std::string outcome_named(const std::string& of_client) {
  if (of_client == "timeout") return "unanswered";
  return of_client == "error" ? "refused" : of_client;
}

std::string with_port(const json& packet) {
  const auto dst = packet.at("dst").get<std::string>();
  if (!packet.contains("dport") || packet["dport"].is_null()) return dst;
  const std::string host = dst.find(':') == std::string::npos ? dst : "[" + dst + "]";
  return host + ":" + std::to_string(packet["dport"].get<int>());
}

std::vector<Case> cases_of(const json& truth) {
  std::vector<Case> all;
  for (const json& c : truth.at("cases")) {
    if (c["from"]["kind"] != "pod" || !c.contains("client")) continue;
    const json& packet = c["packet"];
    const std::string src = packet.value("src", "");
    const bool v6 = src.find(':') != std::string::npos;
    const std::string pod = c["from"]["namespace"].get<std::string>() + "/" + c["from"]["pod"].get<std::string>();
    const json& sport = packet.contains("sport") ? packet["sport"] : json();
    all.push_back({v6 ? src : pod, with_port(packet), packet["proto"],
                   sport.is_number() ? sport.get<std::uint16_t>() : std::uint16_t{0}, outcome_named(c["client"]["result"])});
  }
  return all;
}

bool is_database(const std::string& name) { return name.starts_with("ovnnb_db.db") || name.starts_with("ovnsb_db.db"); }

Scenario of_corpus(const fs::path& at) {
  Scenario scenario;
  for (const PackedFile& file : files_below(at.string())) {
    const fs::path name(file.name);
    if (is_database(name.filename().string()) || file.name.starts_with("k8s/")) scenario.files.push_back(file);
  }
  scenario.cases = cases_of(json::parse(read_file((at / "truth.json").string())));
  return scenario;
}

Scenario of_lab(const std::string& name) {
  const std::string at = std::string(EGTRACE_SOURCE_DIR) + "/tests/lab/databases-" + name;
  const TemporaryDirectory folder;
  EXPECT_EQ(0, run({"tar", "-xJf", at + ".tar.xz", "--strip-components=1", "-C", folder.path()}).status);
  Scenario scenario{files_below(folder.path()), {}};
  for (const json& c : json::parse(read_file(at + ".json")))
    scenario.cases.push_back({c["from"], c["to"], c["proto"], 0, c["outcome"]});
  return scenario;
}

bool has_both_databases(const fs::path& scenario) {
  for (const auto& entry : fs::recursive_directory_iterator(scenario))
    if (entry.path().filename().string().starts_with("ovnsb_db.db")) return true;
  return false;
}

std::vector<Scenario> scenarios_with_databases() {
  std::vector<Scenario> all;
  for (const char* name : {"plain", "egressip-primary"}) all.push_back(of_lab(name));
  const bool every = std::getenv("EGTRACE_ALL_SCENARIOS") != nullptr;
  std::vector<fs::path> at;
  std::error_code none;
  for (const auto& lab : fs::directory_iterator(fs::path(EGTRACE_SOURCE_DIR) / "../shared/corpus", none))
    for (const auto& entry : fs::directory_iterator(lab.path(), none))
      if (fs::exists(entry.path() / "truth.json") && has_both_databases(entry.path())) at.push_back(entry.path());
  std::sort(at.begin(), at.end());
  for (std::size_t i = 0; i < at.size(); i += every ? 1 : 12) all.push_back(of_corpus(at[i]));
  return all;
}

// --- packings ------------------------------------------------------------------------------------------------------

constexpr const char* kRoot = "must-gather.local.4711/registry-example-org-release-sha256-0123/";

std::string pod_of_node(const std::string& node) {
  return "apiVersion: v1\nkind: Pod\nmetadata:\n  name: ovnkube-node-" + node +
         "\n  namespace: openshift-ovn-kubernetes\nspec:\n  nodeName: " + node + "\n  hostNetwork: true\n";
}

// As oc adm must-gather writes it; the databases of all nodes in an archive.
Files must_gather(const Files& files) {
  const std::string root = kRoot;
  Files tree{{root + "version", "openshift/must-gather\n4.19.0\n"}}, store;
  for (const PackedFile& file : files) {
    const std::string folder = file.name.substr(0, file.name.find('/')), name = file.name.substr(file.name.find('/') + 1);
    if (folder == "k8s") {
      tree.push_back({root +
                          (name.starts_with("nodes") || name.starts_with("egressips") ? "cluster-scoped-resources/core/"
                                                                                      : "namespaces/all/core/") +
                          name,
                      file.text});
      continue;
    }
    const std::string pod = "ovnkube-node-" + folder, kind = name.starts_with("ovnnb") ? "_nbdb" : "_sbdb";
    store.push_back({"ovnk_database_store/" + pod + kind, file.text});
    if (kind == "_nbdb")
      tree.push_back({root + "namespaces/openshift-ovn-kubernetes/pods/" + pod + "/" + pod + ".yaml", pod_of_node(folder)});
  }
  tree.push_back({root + "network_logs/ovnk_database_store.tar.gz", pack(store, "gz")});
  return tree;
}

// A must-gather has no namespaces of users unless somebody adds them (oc adm inspect).
Files without_users_namespaces(const Files& files) {
  Files some;
  for (const PackedFile& file : files)
    if (!file.name.starts_with("k8s/") || file.name.starts_with("k8s/nodes") || file.name.starts_with("k8s/egressips") ||
        file.name.starts_with("k8s/network."))
      some.push_back(file);
  return some;
}

std::string unpacked(const Files& files, const TemporaryDirectory& in) {
  for (const PackedFile& file : files) write_file(in.path() + "/" + file.name, file.text);
  return in.path();
}

enum class DatabasePacking : std::uint8_t { node_folders, must_gather, archive, without_users };

std::string packed(const Files& files, DatabasePacking how, const TemporaryDirectory& in) {
  switch (how) {
    case DatabasePacking::node_folders: return unpacked(files, in);
    case DatabasePacking::must_gather: return unpacked(must_gather(files), in);
    case DatabasePacking::archive: return in.file("must-gather.tar.gz", pack(must_gather(files), "gz"));
    case DatabasePacking::without_users: return unpacked(must_gather(without_users_namespaces(files)), in);
  }
  return {};
}

// --- comparison ----------------------------------------------------------------------------------------------------

struct Counts {
  std::size_t all = 0, same = 0, differ = 0, proven = 0;
};

void ask(const Scenario& scenario, const std::string& snapshot_path, Counts& counts) {
  parsers::SnapshotRequest request;
  request.path = snapshot_path;
  request.presume = true;
  const auto snapshot = parsers::open_snapshot(request);
  ASSERT_TRUE(snapshot) << snapshot_path;
  const explain::Explainer explainer(snapshot->cluster, &snapshot->collection);
  for (const Case& c : scenario.cases) {
    explain::Question q;
    q.from = *explain::parse_point(c.from);
    q.to = *explain::parse_point(c.to);
    q.dport = q.to.port;
    q.proto = c.proto;
    if (c.sport != 0) q.sport = c.sport;
    q.use_conntrack = q.registers = q.steps = false;
    const auto shown = explainer.explain(q);
    ASSERT_TRUE(shown) << c.from << " to " << c.to;
    ++counts.all;
    const std::string outcome(explain::name_of(shown->outcome));
    // Who listens no database shows.
    const bool may_be_closed = shown->listener == explain::Listener::unknown && outcome == "answered" && c.outcome == "refused";
    if (outcome == c.outcome)
      ++counts.same;
    else if (outcome != "undecided" && outcome != "mixed" && !may_be_closed)
      ++counts.differ;
    if (shown->confidence == explain::Confidence::proven) ++counts.proven;
  }
}

class PackedDatabases : public ::testing::TestWithParam<DatabasePacking> {};

TEST_P(PackedDatabases, TellWhatClientsSee) {
  Counts counts;
  static const std::vector<Scenario> all = scenarios_with_databases();
  for (const Scenario& scenario : all) {
    const TemporaryDirectory folder;
    ask(scenario, packed(scenario.files, GetParam(), folder), counts);
  }
  RecordProperty("cases", static_cast<int>(counts.all));
  RecordProperty("same", static_cast<int>(counts.same));
  RecordProperty("differ", static_cast<int>(counts.differ));
  ASSERT_GT(counts.all, 20U);
  EXPECT_GE(counts.same * 100, counts.all * 80);
  EXPECT_LE(counts.differ * 100, counts.all * 15);
  EXPECT_EQ(counts.proven, 0U);
}

std::string name_of(DatabasePacking packing) {
  constexpr const char* kNames[] = {"NodeFolders", "MustGather", "Archive", "WithoutUsersNamespaces"};
  return kNames[static_cast<std::size_t>(packing)];
}

INSTANTIATE_TEST_SUITE_P(Each, PackedDatabases,
                         ::testing::Values(DatabasePacking::node_folders, DatabasePacking::must_gather, DatabasePacking::archive,
                                           DatabasePacking::without_users),
                         [](const auto& packing) { return name_of(packing.param); });

}  // namespace
}  // namespace egt::testing
