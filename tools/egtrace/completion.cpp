#include "completion.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>

#include "arguments.h"
#include "command.h"
#include "egtrace/assess/triage.h"
#include "egtrace/base/text.h"
#include "egtrace/parsers/snapshot.h"
#include "snapshot_options.h"
#include "snapshot_store.h"

namespace egt::cli {
namespace {

enum class Names { none, points, nodes, namespaces, bridges, devices, datapaths, objects, checks };

struct Meaning {
  std::string_view name;
  Names names;
};

// Options and further arguments that name something of the snapshot.
constexpr std::array<Meaning, 11> kOptions = {{{"--from", Names::points},
                                               {"--to", Names::points},
                                               {"--node", Names::nodes},
                                               {"--arrive-at", Names::nodes},
                                               {"-n", Names::namespaces},
                                               {"--namespace", Names::namespaces},
                                               {"--bridge", Names::bridges},
                                               {"--device", Names::devices},
                                               {"--in-dev", Names::devices},
                                               {"--only", Names::checks},
                                               {"--datapath", Names::datapaths}}};
constexpr std::array<Meaning, 2> kArguments = {{{"lookup", Names::objects}, {"ltrace", Names::datapaths}}};

template <std::size_t N>
Names meaning(const std::array<Meaning, N>& all, std::string_view name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Meaning& m) { return m.name == name; });
  return found == all.end() ? Names::none : found->names;
}

// What was typed before the word in question.
struct Typed {
  std::vector<std::string> arguments;  // without options
  std::vector<std::string> dumps;      // values of --dump
  bool follow_links = false;
  const CLI::Option* open = nullptr;  // whose value is being typed
  std::string open_name;
};

Typed read_line(const CLI::App& verb, const std::vector<std::string>& words) {
  Typed typed;
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.size() < 2 || word[0] != '-') {
      typed.arguments.push_back(word);
      continue;
    }
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const CLI::Option* option = option_named(verb, name);
    if (name == "--follow-links") typed.follow_links = true;
    if (!takes_value(option)) continue;
    const bool here = equals != std::string::npos;
    if (!here && i + 2 == words.size()) {
      typed.open = option;
      typed.open_name = name;
      break;
    }
    const std::string value = here ? word.substr(equals + 1) : words[++i];
    if (name == "--dump") typed.dumps.push_back(value);
  }
  return typed;
}

// "{auto,always,never}": what a check of the option's values lists.
std::vector<std::string> choices(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  std::vector<std::string> all;
  const std::size_t open = type.find('{'), close = type.find('}', open == std::string::npos ? 0 : open);
  if (open == std::string::npos || close == std::string::npos) return all;
  for (std::string_view rest = std::string_view(type).substr(open + 1, close - open - 1); !rest.empty();)
    all.emplace_back(trim(take_until(rest, ',')));
  return all;
}

void add_points(const cluster::Cluster& cluster, std::set<std::string>& names) {
  for (const cluster::Pod& pod : cluster.objects.pods) names.insert(pod.namespace_ + "/" + pod.name);
  for (const cluster::Service& s : cluster.objects.services) names.insert("svc:" + s.namespace_ + "/" + s.name);
  for (const auto& node : cluster.nodes) {
    if (!node->name.empty()) names.insert("node:" + node->name);
    for (const openflow::Bridge& bridge : node->bridges)
      for (const openflow::Interface& port : bridge.interfaces)
        if (const auto id = port.external_ids.find("iface-id"); id != port.external_ids.end())
          if (const std::size_t at = id->second.find('_'); at != std::string::npos)
            names.insert(id->second.substr(0, at) + "/" + id->second.substr(at + 1));
  }
}

void add_names(const cluster::Cluster& cluster, std::set<std::string>& names) {
  add_points(cluster, names);
  for (const cluster::EgressIp& e : cluster.objects.egress_ips) names.insert(e.name);
  for (const auto& node : cluster.nodes)
    for (const ovn::AddressSet& set : node->ovn.address_sets) names.insert(set.name);
}

// The names are the snapshot's, and shells that put an answer on the line as it is would run `$(…)` of a pod's
// name: no name is offered that means anything to a shell, or an option to egtrace.
bool can_offer(std::string_view name) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:/@%-";
  return !name.empty() && name.front() != '-' && name.find_first_not_of(kPlain) == std::string_view::npos;
}

std::set<std::string> names_in(const cluster::Cluster& cluster, Names what) {
  std::set<std::string> names;
  if (what == Names::points) add_points(cluster, names);
  if (what == Names::objects) add_names(cluster, names);
  if (what == Names::namespaces) {
    for (const cluster::Pod& pod : cluster.objects.pods) names.insert(pod.namespace_);
    for (const auto& n : cluster.objects.namespaces) names.insert(n.name);
  }
  for (const auto& node : cluster.nodes) {
    if (what == Names::nodes) names.insert(node->name);
    if (what == Names::bridges)
      for (const openflow::Bridge& bridge : node->bridges) names.insert(bridge.name);
    if (what == Names::devices)
      for (const host::Link& link : node->host.links.value) names.insert(link.name);
    if (what == Names::datapaths)
      for (const ovn::Datapath& d : node->ovn.datapaths) names.insert(d.name);
  }
  std::erase_if(names, [](const std::string& name) { return !can_offer(name); });
  return names;
}

// The session's snapshot is asked about, not another that the line names.
bool is_of_session(const Typed& typed) {
  const bool names_another =
      !typed.dumps.empty() || (!typed.arguments.empty() && std::filesystem::exists(typed.arguments.front()));
  return SnapshotStore::process().session().is_given() && !names_another;
}

std::set<std::string> names_of_snapshot(const Typed& typed, Names what) {
  if (what == Names::none) return {};
  if (what == Names::checks) {
    std::set<std::string> ids;
    for (const assess::CatalogueEntry& e : assess::triage_catalogue()) ids.insert(e.id);
    return ids;
  }
  if (is_of_session(typed)) {
    CommonOptions quiet;
    quiet.quiet = true;
    return names_in(open_for_walks({}, quiet).cluster, what);
  }
  parsers::SnapshotRequest request;
  if (!typed.arguments.empty()) request.path = typed.arguments.front();
  request.dumps = typed.dumps;
  request.as_dumped = true;
  request.follow_links = typed.follow_links;
  const bool readable = request.path != "-" && (!request.path.empty() || !request.dumps.empty());
  if (!readable) return {};  // standard input is the shell's
  const auto cluster = parsers::read_snapshot(request);
  return cluster ? names_in(*cluster, what) : std::set<std::string>{};
}

template <class Words>
void offer(const Words& words, const std::string& before, std::string_view begun, Completion& all) {
  for (const std::string& word : words)
    if (word.starts_with(begun)) all.words.push_back(before + word);
}

void offer_values(const CLI::Option& option, const std::string& name, const Typed& typed, const std::string& before,
                  std::string_view begun, Completion& all) {
  const auto listed = choices(option);
  const Names what = meaning(kOptions, name);
  offer(listed, before, begun, all);
  offer(names_of_snapshot(typed, what), before, begun, all);
  all.files = listed.empty() && what == Names::none;
}

void offer_argument(const CLI::App& verb, const Typed& typed, const std::string& begun, Completion& all) {
  const bool has_snapshot = !typed.arguments.empty() || is_of_session(typed);
  const Names what = has_snapshot ? meaning(kArguments, verb.get_name()) : Names::none;
  if (verb.get_name() == "completion")
    offer(std::vector<std::string>{"bash", "fish", "zsh"}, "", begun, all);
  else
    all.files = what == Names::none && verb.get_name() != "decode" && verb.get_name() != "collect";
  offer(names_of_snapshot(typed, what), "", begun, all);
}

void offer_verbs(const CLI::App& app, const std::string& begun, Completion& all) { offer(verb_names(app), "", begun, all); }

void offer_options(const CLI::App& verb, const std::string& begun, Completion& all) {
  for (const CLI::Option* option : verb.get_options())
    if (!option->get_group().empty()) offer(names_of(*option), "", begun, all);
}

}  // namespace

std::vector<std::string> points_of(const cluster::Cluster& cluster) {
  const std::set<std::string> names = names_in(cluster, Names::points);
  return {names.begin(), names.end()};
}

Completion complete(const CLI::App& app, const std::vector<std::string>& words) {
  Completion all;
  const std::string last = words.empty() ? "" : words.back();
  std::vector<std::string> line = words;
  if (!line.empty()) line.pop_back();
  line = verb_first(app, line);
  line.push_back(last);
  const CLI::App* verb = line.size() < 2 ? nullptr : verb_named(app, line.front());
  const std::size_t equals = last.starts_with("--") ? last.find('=') : std::string::npos;
  if (line.size() < 2) {
    if (last.starts_with("-"))
      offer_options(app, last, all);
    else
      offer_verbs(app, last, all);
  } else if (verb != nullptr) {
    const Typed typed = read_line(*verb, line);
    const CLI::Option* named = equals == std::string::npos ? nullptr : option_named(*verb, last.substr(0, equals));
    if (typed.open != nullptr)
      offer_values(*typed.open, typed.open_name, typed, "", last, all);
    else if (takes_value(named))
      offer_values(*named, last.substr(0, equals), typed, last.substr(0, equals + 1), std::string_view(last).substr(equals + 1),
                   all);
    else if (last.starts_with("-"))
      offer_options(*verb, last, all);
    else
      offer_argument(*verb, typed, last, all);
  }
  std::sort(all.words.begin(), all.words.end());
  return all;
}

}  // namespace egt::cli
