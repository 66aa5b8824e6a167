#include "snapshot/machines.h"

#include <algorithm>

#include "egtrace/base/text.h"

namespace egt::parsers {
namespace {

constexpr std::string_view kSos = "sos_commands/";

// The folder that holds sos_commands, with the '/' behind it, or nothing.
std::optional<std::string> sos_root(const std::string& place) {
  const std::size_t at = place.find(kSos);
  if (at == std::string::npos || (at > 0 && place[at - 1] != '/')) return std::nullopt;
  return place.substr(0, at);
}

bool of_a_machine(const Candidate& c) { return c.format != nullptr && !c.is_object(); }

// A folder that is the only one on its level and holds no machine's dump itself is packaging.
std::string find_wrapper(const std::vector<Candidate>& candidates) {
  std::string wrapper;
  for (;;) {
    std::string first;
    for (const Candidate& c : candidates) {
      if (c.place.empty()) continue;   // given by --dump, or standard input
      if (!c.place.starts_with(wrapper)) return wrapper;
      const std::size_t slash = c.place.find('/', wrapper.size());
      if (slash == std::string::npos) return wrapper;
      const std::string folder = c.place.substr(0, slash + 1);
      if (!first.empty() && folder != first) return wrapper;
      if (of_a_machine(c) && c.place.find('/', slash + 1) == std::string::npos) return wrapper;
      first = folder;
    }
    if (first.empty()) return wrapper;
    wrapper = first;
  }
}

std::string last_part(std::string_view folder) {
  while (folder.ends_with('/')) folder.remove_suffix(1);
  const std::size_t slash = folder.rfind('/');
  return std::string(slash == std::string_view::npos ? folder : folder.substr(slash + 1));
}

std::string said_hostname(const std::vector<const Candidate*>& dumps) {
  for (const Candidate* c : dumps) {
    if (c->format == nullptr || c->format->kind != "hostname") continue;
    std::string_view rest = c->dump.text;
    const std::string_view name = trim(next_line(rest));
    if (!name.empty() && name.size() < 256 && name.find(' ') == std::string_view::npos) return std::string(name);
  }
  return {};
}

constexpr std::string_view kByUser = "node:", kByHost = "host:", kByPod = "pod:";

}  // namespace

Machines::Machines(const std::vector<Candidate>& candidates, const SnapshotSettings& settings)
    : settings_(settings), wrapper_(find_wrapper(candidates)) {
  for (const Candidate& c : candidates) {
    if (const auto root = sos_root(c.place)) sos_roots_.insert(*root);
  }
}

std::string Machines::folder_of(const std::string& place) const {
  std::string best;
  bool found = false;
  for (const std::string& root : sos_roots_) {
    if (place.starts_with(root) && (!found || root.size() > best.size())) {
      best = root;
      found = true;
    }
  }
  if (found) return best;
  if (!place.starts_with(wrapper_)) return {};
  const std::size_t slash = place.find('/', wrapper_.size());
  return slash == std::string::npos ? std::string() : place.substr(0, slash + 1);
}

std::string Machines::key_of(const Candidate& candidate) const {
  if (!candidate.node.empty()) return std::string(kByUser) + candidate.node;
  if (const auto* setting = settings_.node_of(candidate.place)) return std::string(kByUser) + setting->name;
  const std::string folder = folder_of(candidate.place);
  if (!folder.empty()) return folder;
  if (!candidate.host.empty()) return std::string(kByHost) + candidate.host;
  if (!candidate.pod.empty()) return std::string(kByPod) + candidate.pod;
  return {};
}

std::string Machines::name_of(const std::string& key, const std::vector<const Candidate*>& dumps) const {
  for (const std::string_view prefix : {kByUser, kByHost, kByPod}) {
    if (key.starts_with(prefix)) return key.substr(prefix.size());
  }
  const bool flat = key.empty();
  if (flat || sos_roots_.contains(key)) {
    const std::string name = said_hostname(dumps);
    if (!name.empty()) return name;
  }
  return flat ? last_part(wrapper_) : last_part(key);
}

}  // namespace egt::parsers
