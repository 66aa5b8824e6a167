#include "egtrace/render/ofproto_trace.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "action_ports.h"
#include "ofproto_trace_parts.h"

namespace egt::render {
namespace {

using namespace engine::ofproto;
using F = FieldId;

constexpr std::size_t kRule = 79;        // '=' around a recirculation's title
constexpr std::size_t kFieldWords = 75;  // words of a FlowKey that OpenFlow fields use

std::string tunnel_flags(const FlowKey& k, const FlowKey& m) {
  const auto value = get(k, Extra::tun_header_flags) | k.u64(F::tun_flags);
  const auto bits = get(m, Extra::tun_header_flags) | m.u64(F::tun_flags);
  constexpr std::array kNames = {"oam", "df", "csum", "key"};
  std::string out;
  if (bits == 15) {
    for (unsigned i = 0; i < 4; ++i)
      if (value >> i & 1) (out += out.empty() ? "" : "|") += kNames[i];
    return out.empty() ? "0" : out;
  }
  for (unsigned i = 0; i < 4; ++i)
    if (bits >> i & 1) (out += value >> i & 1 ? "+" : "-") += kNames[i];
  return out;
}

}  // namespace

std::string OfprotoTraceWriter::write(const Trace& trace, const openflow::Bridge& bridge) {
  if (trace.owned != owned_) {
    actions_.clear();
    owned_ = trace.owned;
  }
  bridge_ = at_ = &bridge;
  out_.clear();
  for (const TracePass& p : trace.passes) {
    if (p.resumption) title(*p.resumption);
    pass(p);
  }
  if (trace.limit_reached) {
    out_ += "\n\n" + std::string(kRule, '=');
    out_ += fmt::format(
        "\nTrace reached the recirculation limit.  Sopping the trace here.\nQueued but not processed: {} "
        "recirculations.",
        trace.not_processed);
  }
  return out_;
}

// Puts names in the place of port numbers.
std::string OfprotoTraceWriter::named(std::string match, const openflow::Bridge& b) const {
  if (!style_.names) return match;
  for (const std::string_view key : {"in_port=", "actset_output="}) {
    const std::size_t at = match.find(key);
    if (at == std::string::npos || (at > 0 && match[at - 1] != ',')) continue;
    const std::size_t begin = at + key.size(), end = std::min(match.find(',', begin), match.size());
    std::uint32_t number = 0;
    const auto read = std::from_chars(match.data() + begin, match.data() + end, number);
    if (read.ec != std::errc() || read.ptr != match.data() + end) continue;  // a word: LOCAL stays LOCAL
    match.replace(begin, end - begin, text_.port(PortStyle{&b, true, text_.port}({number, {}})));
  }
  return match;
}

std::string OfprotoTraceWriter::match(const FlowKey& value, FlowKey m) const {
  for (const openflow::TlvMapping& t : bridge_->tlv_map) {
    const F f = static_cast<F>(static_cast<unsigned>(F::tun_metadata0) + t.index);
    if (t.index >= 8 || m.get(f) == 0) continue;
    const U128 all = ones(t.length * 8u);
    m.set(f, (m.get(f) & all) == all ? ~U128{0} : m.get(f) & all);
  }
  const bool flags = get(m, Extra::tun_header_flags) != 0 || m.u64(F::tun_flags) != 0;
  const std::string own_flags = flags ? tunnel_flags(value, m) : std::string();
  if (flags) m.set(F::tun_flags, ~U128{0});
  openflow::Match view;
  for (std::size_t i = 0; i < kFieldWords; ++i)
    if (m.word(i) != 0) view.require({static_cast<std::uint8_t>(i), value.word(i) & m.word(i), m.word(i)});
  if (const auto options = m.word(kTunnelOptionsWord); options != 0)
    view.require({static_cast<std::uint8_t>(kTunnelOptionsWord), value.word(kTunnelOptionsWord) & options, options});
  std::string out = text_.match(view.view());
  if (flags) {
    const std::size_t at = out.find("tun_flags=") + 10;
    out.replace(at, 4, own_flags);
  }
  for (const Extra e : {Extra::mpls_lse1, Extra::mpls_lse2}) {
    const auto bits = get(m, e);
    if (bits == 0) continue;
    const std::string name = e == Extra::mpls_lse1 ? "mpls_lse1" : "mpls_lse2";
    const std::string term = bits == 0xffffffff ? fmt::format(",{}={}", name, get(value, e))
                                                : fmt::format(",{}=0x{:08x}/0x{:08x}", name, get(value, e) & bits, bits);
    constexpr std::string_view kBefore[] = {"mpls_lse1=", "mpls_bos="};  // the first that is there
    std::size_t at = out.npos;
    for (const std::string_view before : kBefore) at = at == out.npos ? out.find(before) : at;
    out.insert(std::min(out.find(',', at), out.size()), term);
  }
  return named(std::move(out), *bridge_);
}

std::string OfprotoTraceWriter::flow_match(const openflow::Bridge& b, openflow::FlowIndex i) const {
  return named(text_.match(openflow::match_of(b.flows->flow(i))), b);
}

void OfprotoTraceWriter::title(const TracePass::Resumption& r) {
  out_ += "\n\n" + std::string(kRule, '=');
  out_ += fmt::format("\nrecirc(0x{:x})", r.recirc_id);
  if (r.by_default) {
    out_ += " - resume conntrack with default ct_state=trk|new (use --ct-next to customize)";
  } else {
    constexpr std::array kStates = {"new", "est", "rel", "rpl", "inv", "trk", "snat", "dnat"};
    std::string words;
    for (std::size_t i = 0; i < kStates.size(); ++i)
      if (r.ct_state >> i & 1) (words += words.empty() ? "" : "|") += kStates[i];
    out_ += " - resume conntrack with ct_state=" + (words.empty() ? "0" : words);
  }
  out_ += '\n';
  if (r.nat) {
    const auto addresses = [&](const FlowKey& k) -> std::string {
      if (!r.nat->addresses || r.nat->kind == openflow::Nat::Kind::bare) return "";
      const bool v4 = r.nat->addresses->first.is_v4();
      if (v4)
        return fmt::format("nw_src={},tp_src={},nw_dst={},tp_dst={}", IpAddr::v4(k.u32(F::ip_src)).to_string(), k.u64(F::tp_src),
                           IpAddr::v4(k.u32(F::ip_dst)).to_string(), k.u64(F::tp_dst));
      return fmt::format("ipv6_src=[{}],tp_src={},ipv6_dst=[{}],tp_dst={}", IpAddr::v6(k.get(F::ipv6_src)).to_string(),
                         k.u64(F::tp_src), IpAddr::v6(k.get(F::ipv6_dst)).to_string(), k.u64(F::tp_dst));
    };
    out_ += "Replacing src/dst IP/ports to simulate NAT:\n Initial flow: " + addresses(r.before) +
            "\n Modified flow: " + addresses(r.after) + "\n";
  }
  out_ += std::string(kRule, '=') + "\n\n";
}

void OfprotoTraceWriter::pass(const TracePass& pass) {
  out_ += "Flow: " + match(pass.initial, mask_of_packet(pass.initial)) + "\n";
  nodes(pass.nodes);
  out_ += "\nFinal flow: ";
  FlowKey begun = pass.initial;
  begun.set(F::actset_output, openflow::port::unset);  // the translation begins without an action set
  out_ += begun == pass.final_flow ? "unchanged" : match(pass.final_flow, mask_of_packet(pass.final_flow));
  out_ += "\nMegaflow: " + match(pass.initial, pass.megaflow_mask);
  out_ += "\nDatapath actions: " + datapath_actions_text(pass.actions, style_.names);
  if (pass.error != XlateError::ok) {
    out_ += fmt::format("\nTranslation failed ({}), packet is dropped.\n", error_text(pass.error));
  } else if (pass.slow) {
    out_ += "\nThis flow is handled by the userspace slow path because it:\n  - Uses action(s) not supported by datapath.";
  }
}

// oftrace_node_print_details: the last of several nodes stays in the column of its list, all others go one level in.
void OfprotoTraceWriter::nodes(const std::vector<TraceNode>& all) {
  has_sibling_.assign(all.size(), 0);
  seen_.clear();  // by depth: whether a later node stands in the same list
  for (std::size_t i = all.size(); i-- > 0;) {
    const std::size_t d = all[i].depth;
    const bool seen = d < seen_.size() && seen_[d] != 0;
    has_sibling_[i] = seen;
    seen_.resize(d + 1);  // of what stands deeper the list ends here
    seen_[d] = 1;
  }
  bridges_.assign(1, bridge_);
  level_.assign(1, 0);  // by depth: of the list's own column
  for (std::size_t i = 0; i < all.size(); ++i) {
    const TraceNode& n = all[i];
    enter(n);
    const bool terminal = n.kind == NodeKind::action || n.kind == NodeKind::detail || n.kind == NodeKind::warning ||
                          n.kind == NodeKind::error || n.kind == NodeKind::bucket;
    const unsigned more = has_sibling_[i] != 0 || terminal ? 1 : 0;
    level_.resize(n.depth + 1);
    const unsigned own = level_[n.depth];
    level_.push_back(own + 2 * more);
    if (n.kind == NodeKind::bridge) out_ += '\n';
    out_.append((own + more) * 4, ' ');
    const std::size_t begin = out_.size();
    if (n.kind == NodeKind::detail) out_ += " -> ";
    if (n.kind == NodeKind::warning) out_ += " >> ";
    if (n.kind == NodeKind::error) out_ += " >>>> ";
    line(n);
    if (n.kind == NodeKind::error) out_ += " <<<<";
    const std::size_t length = out_.size() - begin;
    out_ += '\n';
    if (n.kind != NodeKind::bridge) continue;
    out_.append((own + more) * 4, ' ');
    out_.append(length, '-');
    out_ += '\n';
  }
}

std::string OfprotoTraceWriter::action_text(const openflow::Action& a, bool names) const {
  if (says_ports(a)) return text_.action(with_ports(a, {at_, names, text_.port}));
  return text_.action(a);
}

const std::string& OfprotoTraceWriter::known_action(const openflow::Action& a, bool names) {
  const auto [at, fresh] = actions_.try_emplace({names ? at_ : nullptr, &a});
  if (fresh) at->second = action_text(a, names);
  return at->second;
}

std::string OfprotoTraceWriter::action(const Ofpact& o, bool names) {
  if (o.nat) {
    openflow::Ct ct;
    ct.nat = *o.nat;
    const std::string text = text_.action({ct});  // "ct(nat(src))"
    return text.substr(3, text.size() - 4);
  }
  if (!o.action) return fmt::format("unroll_xlate(table={}, cookie={})", o.table, o.cookie);
  return known_action(*o.action, names);
}

// Of an action set or of frozen actions: the switch shows ports in them by number.
std::string OfprotoTraceWriter::list(const Ofpacts& list) {
  if (list.empty()) return "drop";
  std::string out;
  for (const Ofpact& o : list) (out += out.empty() ? "" : ",") += action(o, false);
  return out;
}

// Notes whose actions follow: a table's, and where a trace resumes those of the bridge that froze it.
void OfprotoTraceWriter::enter(const TraceNode& n) {
  bridges_.resize(n.depth + 1, bridges_.back());
  const openflow::Bridge* entered = nullptr;
  if (const auto* table = std::get_if<TableLine>(&n.line)) entered = table->bridge;
  if (const auto* note = std::get_if<Note>(&n.line); note && n.kind == NodeKind::thaw) entered = note->bridge;
  if (entered != nullptr) bridges_[n.depth] = entered;
  at_ = bridges_[n.depth];
  bridges_.push_back(at_);
}

// What a flow's line says behind the number of its table.
const std::string& OfprotoTraceWriter::flow(const openflow::Bridge& b, openflow::FlowIndex i) {
  const auto [at, fresh] = flows_.try_emplace({&b, i});
  if (!fresh) return at->second;
  const openflow::FlowEntry& f = b.flows->flow(i);
  std::string& out = at->second = flow_match(b, i);
  if (!out.empty()) out += ", ";
  out += fmt::format("priority {}", f.priority);
  if (f.cookie != 0) out += fmt::format(", cookie 0x{:x}", f.cookie);
  return out;
}

void OfprotoTraceWriter::table(const TableLine& t) {
  if (t.table < 10) out_ += ' ';
  out_ += fmt::format_int(t.table).c_str();
  out_ += ". ";
  switch (t.rule) {
    case TableLine::Rule::no_match: out_ += "No match."; return;
    case TableLine::Rule::packet_in: out_ += "No match, and a \"packet-in\" is called for."; return;
    case TableLine::Rule::frags_dropped: out_ += "Packets are IP fragments and the fragment handling mode is \"drop\"."; return;
    case TableLine::Rule::internal: out_ += fmt::format("reg0=0x{:x}, priority 0", t.internal); return;
    case TableLine::Rule::flow: out_ += flow(*t.bridge, t.flow); return;
  }
}

void OfprotoTraceWriter::line(const TraceNode& n) {
  if (const auto* a = std::get_if<ActionLine>(&n.line)) {
    out_ += a->drop ? "drop" : action(a->action, style_.names);
  } else if (const auto* t = std::get_if<TableLine>(&n.line)) {
    table(*t);
  } else if (const auto* b = std::get_if<BridgeLine>(&n.line)) {
    out_ += fmt::format("bridge(\"{}\")", b->name);
  } else if (const auto* g = std::get_if<BucketLine>(&n.line)) {
    out_ += fmt::format("bucket {}", g->id);
  } else {
    out_ += note(std::get<Note>(n.line));
  }
}

}  // namespace egt::render
