// All formats in one list, and the choice among them by content.
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "egtrace/base/text.h"
#include "egtrace/parsers/content.h"
#include "egtrace/parsers/format.h"
#include "snapshot/prompt.h"

namespace egt::parsers {

const std::vector<const Format*>& all_formats() {
  static const std::vector<const Format*> formats = [] {
    std::vector<const Format*> all;
    // Snapshots are loaded in this order: rows of the database name the ports that the switch cuts to 15 characters.
    for (const auto family : {ovsdb_formats, ovs_ofctl_formats, ovn_formats, iptables_formats, nft_formats, iproute2_formats,
                              frr_formats, system_formats, kube_formats})
      for (const Format& f : family()) all.push_back(&f);
    return all;
  }();
  return formats;
}

namespace {

// What people call them for short.
struct ShortName {
  std::string_view name, kind;
};
constexpr ShortName kShortNames[] = {
    {"ovs-flows", "ovs-ofctl dump-flows"},
    {"ovs-groups", "ovs-ofctl dump-groups"},
    {"ovs-meters", "ovs-ofctl dump-meters"},
    {"ovs-ports", "ovs-ofctl show"},
    {"ovs-tlv-map", "ovs-ofctl dump-tlv-map"},
    {"ovs-interfaces", "ovs-vsctl list"},
    {"ovn-lflows", "ovn-sbctl lflow-list"},
    {"lflows", "ovn-sbctl lflow-list"},
    {"ovsdb", "ovsdb database"},
    {"iptables", "iptables-save"},
    {"ip6tables", "ip6tables-save"},
    {"nft", "nft list ruleset"},
    {"ip-rule", "ip rule"},
    {"ip-route", "ip route"},
    {"ip-neigh", "ip neigh"},
    {"ip-addr", "ip addr"},
    {"ip-link", "ip link"},
    {"conntrack", "conntrack -L"},
    {"ipset", "ipset save"},
    {"k8s", "kubernetes"},
};

const Format* format_of(std::string_view kind) {
  for (const Format* f : all_formats())
    if (f->kind == kind) return f;
  return nullptr;
}

}  // namespace

const Format* find_format(std::string_view kind) {
  if (const Format* f = format_of(kind)) return f;
  for (const ShortName& s : kShortNames)
    if (s.name == kind) return format_of(s.kind);
  // The command alone, where it is one tool's: "dump-flows", "lflow-list".
  const Format* only = nullptr;
  for (const Format* f : all_formats()) {
    if (!f->kind.ends_with(kind) || !f->kind.substr(0, f->kind.size() - kind.size()).ends_with(' ')) continue;
    if (only != nullptr) return nullptr;
    only = f;
  }
  return only;
}

namespace {

constexpr int kCertain = 100;  // nothing can be surer
constexpr int kAgreed = 95;    // of content that its name agrees with: others need not look

void hold(const Format& format, const Dump& dump, Recognised& best) {
  Recognition how = format.recognise(dump);
  if (how.confidence > best.how.confidence) best = {&format, std::move(how)};  // the first of equals, as listed
}

// A first line without an end, other than JSON's, is no dump's: its beginning shows what can be found, before each format
// has cut hundreds of megabytes into words.
Dump beginning_of(const Dump& dump) {
  constexpr std::size_t kLongest = std::size_t{1} << 20;
  Dump looked_at = dump;
  const std::string_view begin = dump.text.substr(0, kLongest);
  const std::string_view first = trim_left(begin.substr(0, 256));
  const bool json = first.starts_with('{') || first.starts_with('[');
  if (dump.text.size() > kLongest && !json && begin.find('\n') == std::string_view::npos) looked_at.text = begin;
  return looked_at;
}

// The formats that a command's name suggests. Every node of a cluster has the same few commands.
std::vector<const Format*> formats_named_by(const Dump& dump) {
  constexpr std::size_t kMost = 4096;
  thread_local std::unordered_map<std::string, std::vector<const Format*>> known;
  if (dump.command.empty()) return {};
  if (const auto found = known.find(dump.command); found != known.end()) return found->second;
  std::vector<const Format*> named;
  for (const Format* f : all_formats())
    if (command_has(dump, f->kind)) named.push_back(f);
  if (known.size() < kMost) known.emplace(dump.command, named);
  return named;
}

Recognised recognise_by(const Dump& dump) {
  Recognised named;
  for (const Format* f : formats_named_by(dump)) hold(*f, dump, named);
  if (named.how.confidence >= kAgreed) return named;
  Recognised best;
  if (dump.text.starts_with("OVSDB ")) hold(*format_of("ovsdb database"), dump, best);  // which others need not look at
  if (best.how.confidence >= kCertain) return best;
  for (const Format* f : all_formats()) {
    hold(*f, dump, best);
    if (best.how.confidence >= kCertain) break;
  }
  return best;
}

}  // namespace

Recognised recognise(const Dump& dump) {
  // Captures of packets have lines, too, some of which look like those of dumps.
  if (dump.compiled == nullptr && !begins_with_tool(dump.command) && is_no_text(dump.text)) return {};
  return recognise_by(beginning_of(dump));
}

}  // namespace egt::parsers
