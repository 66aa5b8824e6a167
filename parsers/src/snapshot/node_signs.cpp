#include "snapshot/node_signs.h"

#include <algorithm>
#include <exception>

#include "egtrace/base/ip.h"
#include "egtrace/base/text.h"
#include "snapshot/roles.h"

namespace egt::parsers {
namespace {

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

}  // namespace

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

std::string host_in_switch_database(const Candidate& c) {
  constexpr std::string_view kKey = "[\"hostname\",\"";
  if (c.format == nullptr || c.format->history == nullptr || c.how.topic != "database Open_vSwitch") return {};
  const std::size_t at = c.dump.text.rfind(kKey);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = c.dump.text.substr(at + kKey.size(), 256);
  return std::string(rest.substr(0, rest.find('"')));
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

std::string name_by_facts(const std::vector<Candidate*>& dumps) {
  cluster::Cluster scratch;
  cluster::Node node;
  for (const Candidate* c : dumps) {
    if (c->format == nullptr) continue;
    Report report;
    Dump dump = c->dump;
    dump.as_of.reset();  // whichever it is, it was the same node before
    try {
      c->format->load(dump, scratch, node, report);
    } catch (const std::exception&) {
      // Said where the dump is loaded in earnest.
    }
  }
  return name_by_content(node);
}

}  // namespace egt::parsers
