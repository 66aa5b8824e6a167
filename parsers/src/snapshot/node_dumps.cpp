#include "snapshot/node_dumps.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "egtrace/base/text.h"
#include "snapshot/dump_groups.h"
#include "snapshot/node_signs.h"

namespace egt::parsers {
namespace {

void leave_out(Candidate& c) {
  if (c.format == nullptr) return;
  c.note = !c.netns.empty() ? "of the network namespace " + c.netns + ", not of the host"
                            : "nothing shows which host it is of; name it with --dump NODE:PATH or in egtrace.yaml";
  c.format = nullptr;
}

// Who listens there, where it sends, what its rules make of that, and from whom it takes packets.
bool shows_stack(const Candidate& c) {
  static constexpr std::string_view kKinds[] = {"ss",       "ip addr",       "ip link",        "ip route",         "ip rule",
                                                "ip neigh", "iptables-save", "ip6tables-save", "nft list ruleset", "sysctl"};
  return std::find(std::begin(kKinds), std::end(kKinds), c.format->kind) != std::end(kKinds);
}

// "2026-03-01" or the digits of the old naming, whichever the folder has.
std::string date_of(const std::string& key) {
  for (std::size_t i = 0; i + 10 <= key.size(); ++i) {
    const std::string_view part = std::string_view(key).substr(i, 10);
    const bool dashes = part[4] == '-' && part[7] == '-';
    if (dashes && parse_decimal(part.substr(0, 4)) && parse_decimal(part.substr(5, 2))) return std::string(part);
  }
  return {};
}

// The names of the groups, and what is of another node than where it lies.
class NamedNodes {
 public:
  NamedNodes(std::vector<Candidate>& candidates, const SnapshotSettings& settings, const cluster::Objects& objects)
      : objects_(objects), groups_(candidates, settings, objects) {}

  std::vector<NodeDumps> nodes() {
    for (Candidate* c : groups_.take(kNoNode)) leave_out(*c);
    const std::vector<Candidate*> central = groups_.take(kCentral);
    groups_.join_loose();
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
  // What was printed in a network namespace is of the node itself only where nothing else is, and no report shows whose.
  NodeDumps node(const std::string& name, std::vector<Candidate*> dumps) const {
    std::set<std::string_view> namespaces;
    bool of_report = false;
    for (const Candidate* c : dumps) {
      if (c->format == nullptr) continue;
      namespaces.insert(c->netns);
      of_report |= !c->netns.empty() && groups_.report_of(c->place).has_value();
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

  void name_groups() {
    std::map<std::string, std::vector<std::pair<std::string, const DumpGroup*>>> reports;  // by host
    for (const auto& [key, group] : groups_.all()) {
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

  void add(const std::string& name, const DumpGroup& group) {
    std::vector<Candidate*>& target = name.empty() ? nameless_ : by_name_[name];
    target.insert(target.end(), group.dumps.begin(), group.dumps.end());
  }

  // Of several reports of one host the newest counts: mixed, they would show a node that never was.
  void add_newest(const std::string& name, std::vector<std::pair<std::string, const DumpGroup*>>& some) {
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

  std::string name_of(const std::string& key, const DumpGroup& group) const {
    if (key.starts_with(kByUser)) return key.substr(kByUser.size());
    if (key.starts_with(kByHost)) return key.substr(kByHost.size());
    if (key.starts_with(kByPod)) return node_of_pod(key.substr(kByPod.size()), group);
    const bool report = key.starts_with(kReport);
    if (report || key.empty()) {
      const std::string name = said_hostname(group.dumps);
      if (!name.empty()) return name;
    }
    if (!report) {
      const std::string folder(without_packing(last_part(key.empty() ? groups_.wrapper() : key)));
      const std::string node = groups_.is_node_object(folder) ? std::string() : node_by_hostname(group.dumps);
      return node.empty() ? folder : node;
    }
    const std::string by_facts = name_by_facts(group.dumps);
    if (!by_facts.empty()) return by_facts;
    const std::string by_folder = host_of_report(last_part(std::string_view(key).substr(kReport.size())));
    return by_folder.empty() ? last_part(std::string_view(key).substr(kReport.size())) : by_folder;
  }

  // A folder may be named after the host that collected it; what the node calls itself counts where the cluster has such a node.
  std::string node_by_hostname(const std::vector<Candidate*>& dumps) const {
    const std::string host = signs_of(dumps).name;
    const auto& nodes = objects_.nodes;
    const auto named =
        std::find_if(nodes.begin(), nodes.end(), [&](const auto& n) { return short_name_of(n.name) == short_name_of(host); });
    if (host.empty() || named == nodes.end() || groups_.has_folder(named->name)) return {};
    return named->name;
  }

  // Where the objects do not show the pod's node its own database does.
  std::string node_of_pod(const std::string& pod, const DumpGroup& group) const {
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
      const bool keep_short = groups_.is_node_object(it->first) && !groups_.is_node_object(longer->first);
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

  const cluster::Objects& objects_;
  DumpGroups groups_;
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
  return NamedNodes(candidates, settings, objects).nodes();
}

}  // namespace egt::parsers
