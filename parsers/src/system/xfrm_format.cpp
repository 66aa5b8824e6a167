// ip xfrm policy, ip xfrm state (ip-xfrm(8), ip/ipxfrm.c of iproute2): policies and security associations of IPsec. Printed back
// as they stand. What is indented belongs to the line before that is not.
#include <algorithm>
#include <array>
#include <vector>

#include "egtrace/base/text.h"
#include "iptables/schema.h"
#include "system/formats.h"

namespace egt::parsers::system {
namespace {

using Json = nlohmann::ordered_json;
using host::IpsecAssociation;
using host::IpsecDirection;
using host::IpsecPolicy;
using host::IpsecTemplate;

constexpr const char* kPolicyVerb = "ip xfrm policy";
constexpr const char* kStateVerb = "ip xfrm state";

// The words of a line as keys with values: "src 10.0.0.0/8 dst 10.1.0.0/16 proto tcp".
class Attributes {
 public:
  explicit Attributes(std::string_view line) : words_(words(line)) {}

  bool begins_with(std::string_view word) const { return !words_.empty() && words_.front() == word; }
  bool has(std::string_view word) const { return std::find(words_.begin(), words_.end(), word) != words_.end(); }
  std::string_view text(std::string_view key) const {
    const auto at = std::find(words_.begin(), words_.end(), key);
    return at == words_.end() || at + 1 == words_.end() ? std::string_view() : *(at + 1);
  }
  std::string_view last() const { return words_.empty() ? std::string_view() : words_.back(); }
  std::optional<std::uint64_t> number(std::string_view key) const {
    const std::string_view value = text(key);
    return parse_u64(value.substr(0, value.find_first_of("(/")));
  }
  std::optional<std::uint64_t> mask(std::string_view key) const {
    const std::string_view value = text(key);
    const std::size_t slash = value.find('/');
    return slash == std::string_view::npos ? std::nullopt : parse_u64(value.substr(slash + 1));
  }

 private:
  std::vector<std::string_view> words_;
};

std::optional<std::uint16_t> port(const Attributes& a, std::string_view key) {
  const auto n = a.number(key);
  return n && *n <= 0xffff ? std::optional(static_cast<std::uint16_t>(*n)) : std::nullopt;
}

std::uint32_t low32(std::optional<std::uint64_t> n, std::uint32_t otherwise = 0) {
  return n ? static_cast<std::uint32_t>(*n) : otherwise;
}

// "0.0.0.0/0", also the plain address of a single host.
std::optional<Prefix> prefix(std::string_view text) {
  if (const auto p = Prefix::parse(text)) return p;
  const auto address = IpAddr::parse(text);
  return address ? std::optional(Prefix{*address, static_cast<std::uint8_t>(address->is_v4() ? 32 : 128)}) : std::nullopt;
}

enum class LineKind : std::uint8_t { blank, entry, detail, unknown };

bool is_indented(std::string_view line) { return line.starts_with('\t') || line.starts_with(' '); }

// The words with which lines of details begin; those of lifetimes and statistics decide nothing.
bool is_detail(std::string_view first) {
  static constexpr std::string_view kFirst[] = {
      "dir",    "socket",      "mark",   "if_id",         "tmpl", "proto",       "level",    "enc-mask", "lifetime",
      "limit:", "lifetime:",   "expire", "replay-window", "auth", "auth-trunc",  "enc",      "aead",     "comp",
      "encap",  "anti-replay", "sel",    "coa",           "flag", "output-mark", "stats:",   "seq-hi:",  "seq",
      "replay", "security",    "crypto", "lastused",      "nat",  "add",         "current:", "offload",  "share"};
  return std::find(std::begin(kFirst), std::end(kFirst), first) != std::end(kFirst) || first.ends_with(':') ||
         is_digit(first.front());
}

LineKind kind_of(std::string_view line) {
  const auto all = words(line);
  if (all.empty()) return LineKind::blank;
  if (!is_indented(line)) {
    const Attributes a(line);
    return a.begins_with("src") && prefix(a.text("src")) && prefix(a.text("dst")) ? LineKind::entry : LineKind::unknown;
  }
  return is_detail(all.front()) ? LineKind::detail : LineKind::unknown;
}

// "src A dst B proto udp dport 6081 dev eth0"
host::IpsecSelector selector(const Attributes& a) {
  host::IpsecSelector s{*prefix(a.text("src")), *prefix(a.text("dst")), {}, {}, {}, std::string(a.text("dev"))};
  if (a.has("proto")) s.proto = iptables::protocol_number(a.text("proto"));
  s.sport = a.has("type") ? port(a, "type") : port(a, "sport");
  s.dport = a.has("code") ? port(a, "code") : port(a, "dport");
  return s;
}

struct Policy {
  IpsecPolicy policy;
  bool of_socket = false;  // of one process alone: an IKE daemon lets its own packets pass
};

void take_detail(const Attributes& a, Policy& p) {
  if (a.begins_with("socket")) p.of_socket = true;
  if (a.begins_with("dir")) {
    const std::string_view direction = a.text("dir");
    p.policy.direction = direction == "out"   ? IpsecDirection::out
                         : direction == "fwd" ? IpsecDirection::forward
                                              : IpsecDirection::in;
    p.policy.priority = a.number("priority").value_or(0);
    p.policy.blocks = a.text("action") == "block";
  }
  if (a.begins_with("mark")) {
    p.policy.mark = low32(a.number("mark"));
    p.policy.mark_mask = low32(a.mask("mark"), 0xffffffff);
  }
  if (a.begins_with("if_id")) p.policy.interface_id = low32(a.number("if_id"));
  if (a.begins_with("tmpl")) {
    IpsecTemplate& wanted = p.policy.templates.emplace_back();
    wanted.source = IpAddr::parse(a.text("src")).value_or(IpAddr{});
    wanted.destination = IpAddr::parse(a.text("dst")).value_or(IpAddr{});
  }
  if (p.policy.templates.empty()) return;
  IpsecTemplate& wanted = p.policy.templates.back();
  if (a.has("proto")) {
    wanted.proto = std::string(a.text("proto"));
    wanted.reqid = low32(a.number("reqid"));
    wanted.is_tunnel = a.text("mode") == "tunnel" || a.text("mode") == "beet";
  }
  if (a.has("level")) wanted.is_optional = a.text("level") == "use";
}

void take_detail(const Attributes& a, IpsecAssociation& association) {
  // "encap type espinudp sport 4500 dport 4500 addr 0.0.0.0"
  if (a.begins_with("encap") && a.text("type") == "espinudp") association.udp_port = port(a, "dport").value_or(0);
  // "aead rfc4106(gcm(aes)) KEY 128", "auth-trunc hmac(sha256) KEY 128", "enc cbc(aes) KEY"; hidden keys are two words
  if (a.begins_with("aead")) association.cipher = std::string(a.text("aead"));
  if (a.begins_with("enc")) association.cipher = std::string(a.text("enc"));
  if (a.begins_with("aead") || a.begins_with("auth-trunc"))
    if (const auto bits = parse_u64(a.last()); bits && *bits <= 1024) association.check_bits = static_cast<std::uint16_t>(*bits);
  if (!a.begins_with("proto")) return;
  association.proto = std::string(a.text("proto"));
  association.reqid = low32(a.number("reqid"));
}

Policy begin(const Attributes& a, Provenance from, Policy) {
  Policy p;
  p.policy.selector = selector(a);
  p.policy.from = from;
  return p;
}

IpsecAssociation begin(const Attributes& a, Provenance from, IpsecAssociation) {
  IpsecAssociation association;
  association.source = prefix(a.text("src"))->address;
  association.destination = prefix(a.text("dst"))->address;
  association.from = from;
  return association;
}

// ip -o writes an entry as one line, with a backslash before what else begins one.
template <class Take>
void for_parts(std::string_view line, Take take) {
  for (const std::string_view part : split(line, '\\'))
    if (!trim(part).empty()) take(part);
}

template <class Entry>
std::vector<Entry> read(const Dump& dump, Report& report) {
  std::vector<Entry> all;
  LineReport counts(dump, report);
  LineReader lines(dump);
  for (Line line; lines.next(line);) {
    LineKind kind = LineKind::blank;
    for_parts(line.text, [&](std::string_view part) {
      const LineKind of_part = kind_of(part);
      if (kind != LineKind::unknown) kind = of_part;
      if (of_part == LineKind::entry) all.push_back(begin(Attributes(part), {dump.source, line.number}, Entry{}));
      if (of_part == LineKind::detail && !all.empty()) take_detail(Attributes(part), all.back());
    });
    if (kind == LineKind::blank)
      counts.ignored();
    else if (kind == LineKind::unknown)
      counts.not_understood(line, 1, "neither a selector nor what a policy or an association has");
    else
      counts.understood();
  }
  return all;
}

// What only a policy has: a direction.
bool has_direction(std::string_view text) {
  return text.find("\tdir ") != std::string_view::npos || text.find("\tsocket ") != std::string_view::npos;
}
bool has_spi(std::string_view text) { return text.find("spi 0x") != std::string_view::npos; }

template <class Entry>
Recognition recognise(const Dump& dump, const char* verb, const char* topic, bool (*is_it)(std::string_view)) {
  const bool named = command_has(dump, verb);
  if (named && is_blank_dump(dump)) return {80, topic_of(dump, topic, is_other_namespace(dump)), dump.partial ? 1 : 10};
  if (!dump.text.starts_with("src ") || !is_it(dump.text.substr(0, 4096))) return {};
  Report report;
  const auto all = read<Entry>(dump, report);
  if (all.empty() || report.not_understood.size() > report.understood) return {};
  return {named ? 95 : 85, topic_of(dump, topic, is_other_namespace(dump)), dump.partial ? 1 : 10};
}

template <class Entry>
void reprint(const Dump& dump, std::string& out, Report& report) {
  read<Entry>(dump, report);
  out += dump.text;
}

Json json_of(const IpsecTemplate& t) {
  return {{"source", t.source.to_string()},
          {"destination", t.destination.to_string()},
          {"proto", t.proto},
          {"reqid", t.reqid},
          {"tunnel", t.is_tunnel},
          {"optional", t.is_optional}};
}

Json json_of(const Policy& p) {
  static constexpr std::array<const char*, 3> kDirections = {"in", "out", "fwd"};
  Json j{{"line", p.policy.from.line},
         {"source", p.policy.selector.source.to_string()},
         {"destination", p.policy.selector.destination.to_string()}};
  j["direction"] = p.of_socket ? "socket" : kDirections[static_cast<std::size_t>(p.policy.direction)];
  j["priority"] = p.policy.priority;
  j["action"] = p.policy.blocks ? "block" : "allow";
  j["templates"] = Json::array();
  for (const IpsecTemplate& t : p.policy.templates) j["templates"].push_back(json_of(t));
  return j;
}

Json json_of(const IpsecAssociation& a) {
  return {{"line", a.from.line},
          {"source", a.source.to_string()},
          {"destination", a.destination.to_string()},
          {"proto", a.proto},
          {"reqid", a.reqid},
          {"cipher", a.cipher}};
}

template <class Entry>
void to_json(const Dump& dump, std::string& out, Report& report) {
  Json all = Json::array();
  for (const Entry& one : read<Entry>(dump, report)) all.push_back(json_of(one));
  append_json(Json{{"ipsec", std::move(all)}}, out);
}

Recognition recognise_policies(const Dump& dump) { return recognise<Policy>(dump, kPolicyVerb, "ipsec policies", has_direction); }
Recognition recognise_associations(const Dump& dump) {
  return recognise<IpsecAssociation>(dump, kStateVerb, "ipsec associations", has_spi);
}

template <class Part>
void note_presence(const Dump& dump, Part& part) {
  part.present = true;
  part.partial |= dump.partial;
  part.from = {dump.source, dump.first_line};
}

void load_policies(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  note_presence(dump, node.host.ipsec_policies);
  for (Policy& p : read<Policy>(dump, report))
    if (!p.of_socket) node.host.ipsec_policies.value.push_back(std::move(p.policy));
}

void load_associations(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  note_presence(dump, node.host.ipsec_associations);
  for (IpsecAssociation& a : read<IpsecAssociation>(dump, report)) node.host.ipsec_associations.value.push_back(std::move(a));
}

}  // namespace

const Format& ipsec_policy_format() {
  static const Format format{"ip xfrm policy", "ip xfrm policy", recognise_policies,
                             reprint<Policy>,  to_json<Policy>,  load_policies};
  return format;
}

const Format& ipsec_state_format() {
  static const Format format{"ip xfrm state",           "ip xfrm state list nokeys", recognise_associations,
                             reprint<IpsecAssociation>, to_json<IpsecAssociation>,   load_associations};
  return format;
}

}  // namespace egt::parsers::system
