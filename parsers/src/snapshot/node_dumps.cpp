#include "snapshot/node_dumps.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <set>
#include <tuple>

#include "egtrace/base/ip.h"
#include "egtrace/base/text.h"
#include "snapshot/layout.h"
#include "snapshot/roles.h"

namespace egt::parsers {
namespace {

bool of_a_node(const Candidate& c) { return c.format != nullptr && !c.is_object(); }

bool in_support_archive(const std::string& place) { return sos_root(place).found || must_gather_root(place).found; }

// A folder that is the only one on its level and holds no node's dump itself is packaging.
std::string find_wrapper(const std::vector<Candidate>& candidates) {
  std::string wrapper;
  for (;;) {
    std::string first;
    for (const Candidate& c : candidates) {
      if (c.place.empty() || in_support_archive(c.place)) continue;  // empty: given by --dump, or standard input
      if (!c.place.starts_with(wrapper)) return wrapper;
      const std::size_t slash = c.place.find('/', wrapper.size());
      if (slash == std::string::npos) return wrapper;
      const std::string folder = c.place.substr(0, slash + 1);
      if (!first.empty() && folder != first) return wrapper;
      if (of_a_node(c) && c.place.find('/', slash + 1) == std::string::npos) return wrapper;
      first = folder;
    }
    if (first.empty()) return wrapper;
    wrapper = first;
  }
}

// An archive stands for the folder that was packed.
std::string_view without_packing(std::string_view name) {
  for (const std::string_view ending : {".zst", ".xz", ".gz", ".bz2", ".tar", ".tgz", ".zip"})
    if (name.ends_with(ending) && name.size() > ending.size()) name.remove_suffix(ending.size());
  return name;
}

std::string last_part(std::string_view folder) {
  while (folder.ends_with('/')) folder.remove_suffix(1);
  const std::size_t slash = folder.rfind('/');
  return std::string(slash == std::string_view::npos ? folder : folder.substr(slash + 1));
}

std::string said_hostname(const std::vector<Candidate*>& dumps) {
  for (const Candidate* c : dumps) {
    if (c->format == nullptr || c->format->kind != "hostname" || !c->netns.empty()) continue;
    std::string_view rest = c->dump.text;
    const std::string_view name = trim(next_line(rest));
    if (!name.empty() && name.size() < 256 && name.find(' ') == std::string_view::npos) return std::string(name);
  }
  return {};
}

std::string_view short_name_of(std::string_view host) { return host.substr(0, host.find('.')); }

// The host that a switch's database file names in its own words (external_ids:hostname, which ovs-ctl keeps).
std::string host_in_switch_database(const Candidate& c) {
  constexpr std::string_view kKey = "[\"hostname\",\"";
  if (c.format == nullptr || c.format->history == nullptr || c.how.topic != "database Open_vSwitch") return {};
  const std::size_t at = c.dump.text.rfind(kKey);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = c.dump.text.substr(at + kKey.size(), 256);
  return std::string(rest.substr(0, rest.find('"')));
}

// By what dumps show which node they are of.
struct NodeSigns {
  std::string name;                 // `hostname`, or what the switch's database says
  std::set<std::string> addresses;  // of `ip addr`, but for those that many nodes have
  bool any() const { return !name.empty() || !addresses.empty(); }
};

void add_addresses(std::string_view text, std::set<std::string>& addresses) {
  while (!text.empty()) {
    const std::vector<std::string_view> parts = words(next_line(text));
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      if (parts[i] != "inet" && parts[i] != "inet6") continue;
      const auto prefix = Prefix::parse(parts[i + 1]);
      if (prefix && !prefix->address.is_loopback() && !prefix->address.is_link_local())
        addresses.insert(prefix->address.to_string());
    }
  }
}

NodeSigns signs_of(const std::vector<Candidate*>& dumps) {
  NodeSigns signs{said_hostname(dumps), {}};
  for (const Candidate* c : dumps) {
    if (c->format == nullptr || !c->netns.empty()) continue;
    if (signs.name.empty()) signs.name = host_in_switch_database(*c);
    if (c->format->kind == "ip addr") add_addresses(c->dump.text, signs.addresses);
  }
  return signs;
}

bool differ(const NodeSigns& a, const NodeSigns& b) {
  if (!a.name.empty() && !b.name.empty()) return short_name_of(a.name) != short_name_of(b.name);
  if (a.addresses.empty() || b.addresses.empty()) return false;
  return std::none_of(a.addresses.begin(), a.addresses.end(),
                      [&](const std::string& address) { return b.addresses.contains(address); });
}

// The name that the facts in some dumps show, learnt by loading them for this alone.
std::string name_by_facts(const std::vector<Candidate*>& dumps) {
  cluster::Cluster scratch;
  cluster::Node node;
  for (const Candidate* c : dumps) {
    if (c->format == nullptr) continue;
    Report report;
    Dump dump = c->dump;
    dump.as_of.reset();  // whoever it is, it was the same node before
    try {
      c->format->load(dump, scratch, node, report);
    } catch (const std::exception&) {
      // Said where the dump is loaded in earnest.
    }
  }
  return name_by_content(node);
}

// What a key begins with says how the node was found. Folders end in '/'.
constexpr std::string_view kByUser = "node:", kByHost = "host:", kByPod = "pod:", kReport = "sos:";
constexpr std::string_view kCentral = "central", kNobody = "nobody";

struct Group {
  std::vector<Candidate*> dumps;
  bool known() const {
    return std::any_of(dumps.begin(), dumps.end(), [](const Candidate* c) { return c->format != nullptr; });
  }
  std::int64_t time() const {
    std::int64_t last = 0;
    for (const Candidate* c : dumps) last = std::max(last, c->time);
    return last;
  }
};

class Sorting {
 public:
  Sorting(std::vector<Candidate>& candidates, const SnapshotSettings& settings, const cluster::Objects& objects)
      : settings_(settings), objects_(objects), wrapper_(find_wrapper(candidates)) {
    for (const auto& node : objects.nodes) node_names_.insert(node.name);
    for (const Candidate& c : candidates) {
      places_.insert(c.place);
      if (const Root root = sos_root(c.place); root.found) reports_.insert(root.folder);
    }
    for (Candidate& c : candidates) {
      if (!c.is_object()) groups_[key_of(c)].dumps.push_back(&c);
    }
    split_parents();
  }

  std::vector<NodeDumps> nodes() {
    for (Candidate* c : groups_[std::string(kNobody)].dumps) leave_out(*c);
    groups_.erase(std::string(kNobody));
    const std::vector<Candidate*> central = std::move(groups_[std::string(kCentral)].dumps);
    groups_.erase(std::string(kCentral));
    join_loose();
    name_groups();
    join_short_names();
    hand_over_strays();
    share(central);
    std::vector<NodeDumps> sorted;
    for (auto& [name, dumps] : by_name_) sorted.push_back(node(name, std::move(dumps)));
    if (!nameless_.empty()) sorted.push_back(node("", std::move(nameless_)));
    return sorted;
  }

 private:
  // --- keys ----------------------------------------------------------------------------------------------------------
  std::string key_of(const Candidate& c) const {
    if (!c.node.empty()) return std::string(kByUser) + c.node;
    if (const auto* setting = settings_.node_of(c.place)) return std::string(kByUser) + setting->name;
    if (const auto report = report_of(c.place)) return std::string(kReport) + *report;
    if (c.central) return std::string(kCentral);
    const bool gathered = must_gather_root(c.place).found;
    const bool database = !c.pod.empty() && read_place(c.place).pod == c.pod;
    if (gathered || database) {
      if (!c.pod.empty()) return std::string(kByPod) + c.pod;
      if (!c.host.empty()) return std::string(kByHost) + c.host;
      return std::string(gathered ? kNobody : std::string_view());
    }
    const std::string path = home_of(c), folder = folder_of(path);
    if (!folder.empty() || path != c.place) return folder;
    if (!c.netns.empty() && !c.within_node) return std::string(kByHost) + c.netns;
    if (!c.host.empty()) return std::string(kByHost) + c.host;
    return c.pod.empty() ? std::string() : std::string(kByPod) + c.pod;
  }

  // later/ is a node's only beside what it is later than.
  std::string home_of(const Candidate& c) const {
    std::string path = path_in_node(c.place);
    const std::string log = path.substr(0, path.rfind('/') + 1) + "egtrace-collect.tsv";
    return is_second_dump(c.place) && !places_.contains(path) && !places_.contains(log) ? c.place : path;
  }

  // A folder whose own folders are several nodes by what their dumps say is no node itself, at any depth. One that has
  // dumps of its own, or is called like a node, is: those below it may be of network namespaces.
  void split_parents() {
    std::vector<std::string> left;
    for (const auto& [key, group] : groups_)
      if (key.ends_with('/') && !is_prefixed(key)) left.push_back(key);
    while (!left.empty()) {
      const std::string key = std::move(left.back());
      left.pop_back();
      if (!holds_several_nodes(key, groups_[key])) continue;
      std::map<std::string, Group> parts = parts_of(key, groups_[key]);
      groups_.erase(key);
      for (auto& [folder, part] : parts) {
        if (folder != key) left.push_back(folder);
        groups_[folder] = std::move(part);
      }
    }
  }

  static bool is_prefixed(const std::string& key) {
    return key.starts_with(kByUser) || key.starts_with(kByHost) || key.starts_with(kByPod) || key.starts_with(kReport);
  }

  // By the folders directly below `key`; what lies in `key` itself stays with it.
  static std::map<std::string, Group> parts_of(const std::string& key, const Group& group) {
    std::map<std::string, Group> parts;
    for (Candidate* c : group.dumps) {
      const std::size_t slash = c->place.find('/', key.size());
      parts[slash == std::string::npos ? key : c->place.substr(0, slash + 1)].dumps.push_back(c);
    }
    return parts;
  }

  // Here or in a folder further down: a folder may have no more in it than the next one.
  bool holds_several_nodes(const std::string& key, const Group& group) const {
    if (is_node_object(last_part(key))) return false;
    const std::map<std::string, Group> parts = parts_of(key, group);
    if (const auto own = parts.find(key); own != parts.end() && own->second.known()) return false;
    return are_several_nodes(key, parts) || std::any_of(parts.begin(), parts.end(), [&](const auto& part) {
             return part.first != key && holds_several_nodes(part.first, part.second);
           });
  }

  // Two that call themselves differently, have no address in common, or are called like two nodes of the cluster.
  bool are_several_nodes(const std::string& key, const std::map<std::string, Group>& parts) const {
    std::optional<NodeSigns> first;
    std::size_t nodes = 0;
    for (const auto& [folder, part] : parts) {
      if (folder == key) continue;
      if (is_node_object(std::string(without_packing(last_part(folder)))) && ++nodes == 2) return true;
      const NodeSigns signs = signs_of(part.dumps);
      if (first && differ(*first, signs)) return true;
      if (!first && signs.any()) first = signs;
    }
    return false;
  }

  // The innermost sosreport around a path.
  std::optional<std::string> report_of(const std::string& place) const {
    std::optional<std::string> best;
    for (const std::string& root : reports_) {
      if (place.starts_with(root) && (!best || root.size() > best->size())) best = root;
    }
    // A report that is the snapshot's root does not claim a must-gather beside it.
    if (best && best->empty() && must_gather_root(place).found) return std::nullopt;
    return best;
  }

  std::string folder_of(const std::string& place) const {
    if (!place.starts_with(wrapper_)) return {};
    const std::size_t slash = place.find('/', wrapper_.size());
    return slash == std::string::npos ? std::string() : place.substr(0, slash + 1);
  }

  static void leave_out(Candidate& c) {
    if (c.format == nullptr) return;
    c.note = !c.netns.empty() ? "of the network namespace " + c.netns + ", not of the host"
                              : "nothing shows which host it is of; name it with --dump NODE:PATH or in egtrace.yaml";
    c.format = nullptr;
  }

  // Who listens there, where it sends, and what its rules make of that.
  static bool shows_stack(const Candidate& c) {
    static constexpr std::string_view kKinds[] = {"ss",       "ip addr",       "ip link",        "ip route",        "ip rule",
                                                  "ip neigh", "iptables-save", "ip6tables-save", "nft list ruleset"};
    return std::find(std::begin(kKinds), std::end(kKinds), c.format->kind) != std::end(kKinds);
  }

  // What was printed in a network namespace is of the node itself only where nothing else is, and no report shows whose.
  NodeDumps node(const std::string& name, std::vector<Candidate*> dumps) const {
    std::set<std::string_view> namespaces;
    bool of_report = false;
    for (const Candidate* c : dumps) {
      if (c->format == nullptr) continue;
      namespaces.insert(c->netns);
      of_report |= !c->netns.empty() && report_of(c->place).has_value();
    }
    NodeDumps node{name, {}, {}};
    if (namespaces.size() < 2 && !of_report) {
      node.dumps = std::move(dumps);
      return node;
    }
    for (Candidate* c : dumps) {
      if (c->format != nullptr && !c->netns.empty() && !shows_stack(*c)) leave_out(*c);
      const bool is_read_apart = c->format != nullptr && !c->netns.empty();
      (is_read_apart ? node.namespaces[c->netns] : node.dumps).push_back(c);
    }
    return node;
  }

  // Loose dumps beside exactly one named node are of that node: `--dump PATH` adds to a snapshot of one node.
  void join_loose() {
    const auto loose = groups_.find("");
    if (loose == groups_.end() || groups_.size() != 2) return;
    Group& only = std::find_if(groups_.begin(), groups_.end(), [](const auto& g) { return !g.first.empty(); })->second;
    if (!only.known()) return;
    only.dumps.insert(only.dumps.end(), loose->second.dumps.begin(), loose->second.dumps.end());
    groups_.erase(loose);
  }

  // --- names ---------------------------------------------------------------------------------------------------------
  void name_groups() {
    std::map<std::string, std::vector<std::pair<std::string, Group*>>> reports;  // by host
    for (auto& [key, group] : groups_) {
      if (!group.known()) continue;
      const std::string name = name_of(key, group);
      if (key.starts_with(kReport) && !name.empty()) {
        reports[name].emplace_back(key, &group);
      } else {
        add(name, group);
      }
    }
    for (auto& [name, some] : reports) add_newest(name, some);
  }

  void add(const std::string& name, const Group& group) {
    std::vector<Candidate*>& target = name.empty() ? nameless_ : by_name_[name];
    target.insert(target.end(), group.dumps.begin(), group.dumps.end());
  }

  // Of several reports of one host the newest counts: mixed, they would show a node that never was.
  void add_newest(const std::string& name, std::vector<std::pair<std::string, Group*>>& some) {
    std::sort(some.begin(), some.end(), [](const auto& a, const auto& b) {
      const auto age = [](const auto& report) { return std::tuple(report.second->time(), date_of(report.first), report.first); };
      return age(a) > age(b);
    });
    add(name, *some.front().second);
    for (std::size_t i = 1; i < some.size(); ++i) {
      for (Candidate* c : some[i].second->dumps) {
        if (c->format == nullptr) continue;
        c->note = "of an older report of " + name;
        c->format = nullptr;
        by_name_[name].push_back(c);
      }
    }
  }

  // "2026-03-01" or the digits of the old naming, whichever the folder has.
  static std::string date_of(const std::string& key) {
    for (std::size_t i = 0; i + 10 <= key.size(); ++i) {
      const std::string_view part = std::string_view(key).substr(i, 10);
      const bool dashes = part[4] == '-' && part[7] == '-';
      if (dashes && parse_decimal(part.substr(0, 4)) && parse_decimal(part.substr(5, 2))) return std::string(part);
    }
    return {};
  }

  std::string name_of(const std::string& key, const Group& group) const {
    if (key.starts_with(kByUser)) return key.substr(kByUser.size());
    if (key.starts_with(kByHost)) return key.substr(kByHost.size());
    if (key.starts_with(kByPod)) return node_of_pod(key.substr(kByPod.size()), group);
    const bool report = key.starts_with(kReport);
    if (report || key.empty()) {
      const std::string name = said_hostname(group.dumps);
      if (!name.empty()) return name;
    }
    if (!report) {
      const std::string folder(without_packing(last_part(key.empty() ? wrapper_ : key)));
      const std::string node = is_node_object(folder) ? std::string() : node_by_hostname(group.dumps);
      return node.empty() ? folder : node;
    }
    const std::string by_facts = name_by_facts(group.dumps);
    if (!by_facts.empty()) return by_facts;
    const std::string by_folder = host_of_report(last_part(std::string_view(key).substr(kReport.size())));
    return by_folder.empty() ? last_part(std::string_view(key).substr(kReport.size())) : by_folder;
  }

  // A folder may be named after whoever collected it; what the node calls itself counts where the cluster has such a node.
  std::string node_by_hostname(const std::vector<Candidate*>& dumps) const {
    const std::string host = signs_of(dumps).name;
    const auto& nodes = objects_.nodes;
    const auto named =
        std::find_if(nodes.begin(), nodes.end(), [&](const auto& n) { return short_name_of(n.name) == short_name_of(host); });
    if (host.empty() || named == nodes.end() || has_folder(named->name)) return {};
    return named->name;
  }

  // Dumps of two moments make no node.
  bool has_folder(const std::string& name) const {
    return std::any_of(groups_.begin(), groups_.end(), [&](const auto& g) {
      return !is_prefixed(g.first) && short_name_of(without_packing(last_part(g.first))) == short_name_of(name);
    });
  }

  // Where the objects do not show the pod's node its own database does.
  std::string node_of_pod(const std::string& pod, const Group& group) const {
    for (const cluster::Pod& known : objects_.pods) {
      if (known.name == pod && !known.node.empty()) return known.node;
    }
    const std::string by_facts = name_by_facts(group.dumps);
    return by_facts.empty() ? pod : by_facts;
  }

  // A report says "worker-0" where the cluster says "worker-0.example.org", or the other way round.
  void join_short_names() {
    for (auto it = by_name_.begin(); it != by_name_.end();) {
      const auto longer = long_name_of(it->first);
      if (longer == by_name_.end()) {
        ++it;
        continue;
      }
      const bool keep_short = is_node_object(it->first) && !is_node_object(longer->first);
      auto& from = keep_short ? longer->second : it->second;
      auto& to = keep_short ? it->second : longer->second;
      to.insert(to.end(), from.begin(), from.end());
      it = keep_short ? (by_name_.erase(longer), std::next(it)) : by_name_.erase(it);
    }
  }

  std::map<std::string, std::vector<Candidate*>>::iterator long_name_of(const std::string& name) {
    if (name.find('.') != std::string::npos) return by_name_.end();
    const auto found = by_name_.lower_bound(name + ".");
    const bool is = found != by_name_.end() && found->first.starts_with(name + ".");
    const bool only = is && (std::next(found) == by_name_.end() || !std::next(found)->first.starts_with(name + "."));
    return only ? found : by_name_.end();
  }

  // A switch's database that names another node of the snapshot is that node's, wherever it lies.
  void hand_over_strays() {
    std::vector<std::pair<Candidate*, std::vector<Candidate*>*>> strays;
    for (auto& lying_at : by_name_) {
      const std::string& name = lying_at.first;
      std::erase_if(lying_at.second, [&](Candidate* c) {
        const std::string host = c->node.empty() ? host_in_switch_database(*c) : std::string();
        if (host.empty() || short_name_of(host) == short_name_of(name)) return false;
        const auto owner = std::find_if(by_name_.begin(), by_name_.end(),
                                        [&](const auto& node) { return short_name_of(node.first) == short_name_of(host); });
        if (owner == by_name_.end()) return false;
        strays.emplace_back(c, &owner->second);
        return true;
      });
    }
    for (const auto& [stray, owner] : strays) owner->push_back(stray);
  }

  bool is_node_object(const std::string& name) const { return node_names_.contains(name); }

  // A database of the whole cluster mentions each node in it.
  void share(const std::vector<Candidate*>& central) {
    constexpr std::size_t kMostNodes = 64;  // each holds the facts of all
    if (central.empty()) return;
    std::size_t shared = 0;
    for (const auto& node : objects_.nodes) {
      if (shared++ == kMostNodes) break;
      auto& dumps = by_name_[node.name];
      dumps.insert(dumps.end(), central.begin(), central.end());
    }
    if (shared == 0) nameless_.insert(nameless_.end(), central.begin(), central.end());
  }

  const SnapshotSettings& settings_;
  const cluster::Objects& objects_;
  std::string wrapper_;  // folders around everything, with the '/' behind them
  std::set<std::string> node_names_;
  std::set<std::string_view> places_;  // of all candidates
  std::set<std::string> reports_;      // folders of sosreports
  std::map<std::string, Group> groups_;
  std::map<std::string, std::vector<Candidate*>> by_name_;
  std::vector<Candidate*> nameless_;
};

}  // namespace

std::string host_of_report(std::string_view folder) {
  folder = without_packing(folder);
  if (folder.ends_with("-obfuscated")) folder.remove_suffix(std::string_view("-obfuscated").size());
  if (!consume(folder, "sosreport-")) return {};
  const std::vector<std::string_view> parts = split(folder, '-');
  for (std::size_t i = 1; i + 3 < parts.size(); ++i) {
    const bool date = parts[i].size() == 4 && parts[i + 1].size() == 2 && parts[i + 2].size() == 2 && parse_decimal(parts[i]);
    if (date) return std::string(folder.substr(0, static_cast<std::size_t>(parts[i].data() - folder.data()) - 1));
  }
  const std::size_t dash = folder.rfind('-');  // the old naming: HOST-YYYYMMDDHHMMSS
  const bool stamp = dash != std::string_view::npos && folder.size() - dash == 15 && parse_decimal(folder.substr(dash + 1));
  return stamp ? std::string(folder.substr(0, dash)) : std::string();
}

std::vector<NodeDumps> sort_by_node(std::vector<Candidate>& candidates, const SnapshotSettings& settings,
                                    const cluster::Objects& objects) {
  return Sorting(candidates, settings, objects).nodes();
}

}  // namespace egt::parsers
