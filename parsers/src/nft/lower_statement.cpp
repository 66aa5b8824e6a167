#include "nft/lower_statement.h"

#include <fmt/format.h>

#include <algorithm>

#include "egtrace/base/ip.h"
#include "egtrace/base/text.h"
#include "egtrace/packet/flow_key.h"
#include "nft/keywords.h"
#include "nft/print.h"

namespace egt::parsers::nft {
namespace {

namespace nf = netfilter;
using nf::TableFamily;

std::string text_of_statement(const Statement& s) {
  std::string out;
  print(s, out);
  return out;
}

bool one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::optional<nf::Op> op_of(std::string_view word) {
  const std::string_view op = op_symbol(word);
  if (op.empty() || op == "==") return nf::Op::eq;
  if (op == "!=") return nf::Op::ne;
  if (op == "<") return nf::Op::lt;
  if (op == "<=") return nf::Op::le;
  if (op == ">") return nf::Op::gt;
  if (op == ">=") return nf::Op::ge;
  return std::nullopt;
}

nf::ExprPtr masked(const nf::ExprPtr& e, nf::Number mask) { return std::make_shared<nf::Expr>(nf::Expr{nf::Masked{e, mask, 0}}); }

// "tcp option maxseg missing", "exthdr frag missing": also of packets of another protocol (nft_exthdr_tcp_eval()).
bool holds_without_header(const Match& m) {
  const auto* right = std::get_if<Literal>(&m.right.node);
  return std::holds_alternative<HeaderOption>(m.left.node) && right != nullptr &&
         ((right->text == "missing") != (m.op == "!=") || right->text == "0");
}

class RuleLowering {
 public:
  RuleLowering(const TableScope& scope, std::vector<nf::Chain>& blocks, LoweredRule& out)
      : scope_(scope), blocks_(blocks), out_(out) {}

  void add(const Statement& s) {
    statement_ = &s;
    std::visit([this](const auto& node) { lower(node); }, s.node);
  }

 private:
  void push(nf::Statement s) { out_.rule.statements.push_back(std::move(s)); }
  void annotate() { push(nf::Annotation{text_of_statement(*statement_)}); }
  // A test of something that no dump shows.
  void undecided() {
    if (const auto* m = std::get_if<Match>(&statement_->node); m != nullptr && !holds_without_header(*m)) {
      std::vector<nf::Test> implied;
      imply_headers(m->left, scope_, implied);
      for (nf::Test& t : implied) push(std::move(t));
    }
    push(nf::Test{nf::Undecided{text_of_statement(*statement_), std::nullopt}});
    out_.unclear.push_back(text_of_statement(*statement_));
  }
  void opaque() {
    push(nf::OpaqueStatement{text_of_statement(*statement_)});
    out_.unclear.push_back(text_of_statement(*statement_));
  }
  void imply(const std::vector<Tested>& parts) {
    for (const Tested& t : parts) {
      for (const nf::Test& test : t.implied) push(test);
    }
  }
  static std::vector<nf::ExprPtr> reads(const std::vector<Tested>& parts) {
    std::vector<nf::ExprPtr> out;
    for (const Tested& t : parts) out.push_back(t.expr);
    return out;
  }
  static std::vector<Datatype> types(const std::vector<Tested>& parts) {
    std::vector<Datatype> out;
    for (const Tested& t : parts) out.push_back(t.type);
    return out;
  }

  // --- tests ---------------------------------------------------------------------------------------------------------
  void lower(const Match& m) {
    const auto parts = lower_parts(m.left, scope_);
    if (!parts) return undecided();
    if (std::holds_alternative<SetReference>(m.right.node) || std::holds_alternative<SetExpr>(m.right.node)) {
      nf::InSet in{reads(*parts), lower_set(m.right, types(*parts), {}, scope_), op_symbol(m.op) == "!="};
      imply(*parts);
      return push(nf::Test{std::move(in)});
    }
    if (parts->size() != 1) return undecided();
    compare(m, parts->front());
  }

  void compare(const Match& m, const Tested& left) {
    // "tcp flags syn / fin,syn,rst,ack": these bits of those.
    const auto* b = std::get_if<BinaryExpr>(&m.right.node);
    if (b != nullptr && b->op == "/" && b->operands.size() == 2) return compare_masked(m, left, *b);
    const auto right = lower_atom(m.right, left.type);
    if (!right) return undecided();
    const auto* bits = std::get_if<nf::Number>(&*right);
    nf::Compare c{left.expr, nf::Op::eq, *right};
    const bool plain = !std::holds_alternative<BinaryExpr>(m.left.node);
    if (m.op == "!") {  // none of these bits
      if (bits == nullptr) return undecided();
      c = {masked(left.expr, *bits), nf::Op::eq, nf::Number{0}};
    } else if (m.op.empty() && is_bitmask(left.type) && bits != nullptr && plain) {
      c.op = nf::Op::any_bits_of;
    } else if (const auto op = op_of(m.op)) {
      c.op = *op;
    } else {
      return undecided();
    }
    imply({left});
    push(nf::Test{std::move(c)});
  }
  void compare_masked(const Match& m, const Tested& left, const BinaryExpr& b) {
    const auto value = lower_atom(b.operands[0], left.type), mask = lower_atom(b.operands[1], left.type);
    const auto* mask_bits = mask ? std::get_if<nf::Number>(&*mask) : nullptr;
    const auto op = op_of(m.op);
    if (!value || mask_bits == nullptr || !op) return undecided();
    imply({left});
    push(nf::Test{nf::Compare{masked(left.expr, *mask_bits), *op, *value}});
  }

  void lower(const VerdictMap& m) {
    const auto parts = lower_parts(m.key, scope_);
    if (!parts) return opaque();
    nf::VerdictMapStatement s{reads(*parts), lower_set(m.map, types(*parts), {}, scope_)};
    if (!s.map) return opaque();
    imply(*parts);
    push(std::move(s));
  }

  void lower(const Limit&) { undecided(); }
  void lower(const Quota&) { undecided(); }
  void lower(const CtCount&) { undecided(); }

  // --- verdicts ------------------------------------------------------------------------------------------------------
  void lower(const VerdictStatement& v) {
    const auto verdict = lower_verdict(v.verdict);
    if (!verdict) return opaque();
    push(nf::VerdictStatement{*verdict});
  }
  void lower(const BlockVerdict& b) {
    nf::Chain chain;
    chain.name = fmt::format("block at line {}", scope_.line);
    chain.from = {scope_.source, scope_.line};
    for (const Rule& r : b.rules) {
      TableScope inner = scope_;
      inner.line = r.line;
      chain.rules.push_back(lower_rule(r, inner, blocks_).rule);
    }
    const auto kind = b.kind == "goto" ? nf::Verdict::Kind::goto_ : nf::Verdict::Kind::jump;
    push(nf::VerdictStatement{{kind, chain.name, {}}});
    blocks_.push_back(std::move(chain));
  }
  void lower(const Queue&) { push(nf::VerdictStatement{{nf::Verdict::Kind::queue, {}, {}}}); }
  void lower(const Reject& r) {
    std::string with = r.with;
    if (with == "tcp reset") {
      push(implied_protocol(ip_proto::tcp));
    } else if (scope_.family != TableFamily::ip && scope_.family != TableFamily::ip6) {
      if (with.substr(0, 5) == "icmp ") push(implied_family(Family::v4, scope_.family));
      if (with.substr(0, 7) == "icmpv6 ") push(implied_family(Family::v6, scope_.family));
    }
    if (with.empty()) {
      with = scope_.family == TableFamily::ip6  ? "icmp6-port-unreachable"
             : scope_.family == TableFamily::ip ? "icmp-port-unreachable"
                                                : "icmpx-port-unreachable";
    }
    if (with.substr(0, 7) == "icmpv6 ") with = "icmp6-" + with.substr(7);
    const std::size_t type = with.find(" type ");
    if (type != std::string::npos) with.erase(type, 5);
    std::replace(with.begin(), with.end(), ' ', '-');
    push(nf::VerdictStatement{{nf::Verdict::Kind::reject, {}, std::move(with)}});
  }

  // --- translations --------------------------------------------------------------------------------------------------
  std::optional<Family> family_of(const std::string& word) const {
    if (word == "ip" || (word.empty() && scope_.family == TableFamily::ip)) return Family::v4;
    if (word == "ip6" || (word.empty() && scope_.family == TableFamily::ip6)) return Family::v6;
    return std::nullopt;
  }

  void lower(const Nat& n) {
    using Kind = nf::NatTarget::Kind;
    nf::NatTarget t;
    t.kind = n.kind == "snat"       ? Kind::snat
             : n.kind == "dnat"     ? Kind::dnat
             : n.kind == "redirect" ? Kind::redirect
                                    : Kind::masquerade;
    t.family = family_of(n.family);
    for (const std::string& f : n.flags) {
      t.random = t.random || f == "random";
      t.fully_random = t.fully_random || f == "fully-random";
    }
    if (!n.address.empty() && !nat_address(n, t)) return opaque();
    if (!n.port.empty() && !nat_port(n.port.front(), t)) return opaque();
    push(std::move(t));
  }
  bool nat_address(const Nat& n, nf::NatTarget& t) {
    const Expression& e = n.address.front();
    const Datatype type = t.family == Family::v6 ? Datatype::ipv6 : Datatype::ipv4;
    if (n.prefix) t.kind = nf::NatTarget::Kind::netmap;
    if (const auto* l = std::get_if<Literal>(&e.node)) {
      const auto p = Prefix::parse(l->text);
      if (!p) return false;
      if (!t.family) t.family = p->address.family;
      if (n.prefix) {
        t.address = *p;
        return true;
      }
      t.address = range_of(*p);
      return true;
    }
    if (const auto* r = std::get_if<RangeExpr>(&e.node)) {
      const auto first = IpAddr::parse(text_of(r->ends.front())), last = IpAddr::parse(text_of(r->ends.back()));
      if (!first || !last || first->family != last->family) return false;
      t.family = first->family;
      t.address = IpRange{*first, *last};
      return true;
    }
    const nf::ExprPtr value = lower_value(e, {type, Datatype::service}, scope_);
    if (!value) return false;
    imply_key(e);
    t.address = value;
    return true;
  }
  static IpRange range_of(const Prefix& p) {
    const U128 mask = p.mask();
    const Family f = p.address.family;
    return {{f, p.address.value & mask}, {f, (p.address.value & mask) | (~mask & ones(address_bits(f)))}};
  }
  bool nat_port(const Expression& e, nf::NatTarget& t) {
    if (const auto atom = lower_atom(e, Datatype::service)) {
      if (const auto* n = std::get_if<nf::Number>(&*atom)) {
        t.port = std::pair{static_cast<std::uint16_t>(*n), static_cast<std::uint16_t>(*n)};
        return *n <= 0xffff;
      }
      if (const auto* r = get_if_boxed<nf::NumberRange>(&*atom)) {
        t.port = std::pair{static_cast<std::uint16_t>(r->first), static_cast<std::uint16_t>(r->last)};
        return r->first <= r->last && r->last <= 0xffff;
      }
      return false;
    }
    const nf::ExprPtr value = lower_value(e, {Datatype::service}, scope_);
    if (!value) return false;
    imply_key(e);
    t.port = value;
    return true;
  }
  // What the key of a map implies, in front of the statement that uses it.
  void imply_key(const Expression& e) {
    const auto* map = std::get_if<MapExpr>(&e.node);
    if (map == nullptr || map->key_and_map.empty()) return;
    if (const auto parts = lower_parts(map->key_and_map.front(), scope_)) imply(*parts);
  }

  void lower(const Tproxy& t) {
    nf::Tproxy out;
    if (!t.address.empty()) {
      const auto address = IpAddr::parse(text_of(t.address.front()));
      if (!address) return opaque();
      out.address = *address;
    }
    if (!t.port.empty()) {
      const auto port = parse_decimal(text_of(t.port.front()));
      if (!port) return opaque();
      out.port = static_cast<std::uint16_t>(*port);
    }
    push(out);
  }

  // --- assignments ---------------------------------------------------------------------------------------------------
  void lower(const Assign& a) {
    if (const auto* m = std::get_if<Meta>(&a.left.node)) return assign_meta(*m, a);
    if (const auto* c = std::get_if<Ct>(&a.left.node)) return assign_ct(*c, a);
    if (std::holds_alternative<HeaderOption>(a.left.node)) return annotate();  // TCP MSS and the like
    if (const auto* p = std::get_if<Payload>(&a.left.node)) {
      // Nothing later depends on these.
      if (one_of(p->field, {"checksum", "id", "pcp"})) return annotate();
      // Of no protocol: the checksum stays, and may itself be what is written.
      if (p->protocol == "th") return opaque();
      return assign_field(a);
    }
    opaque();
  }
  nf::ExprPtr value(const Assign& a, Datatype type) {
    nf::ExprPtr e = lower_value(a.right, {type}, scope_);
    if (e) imply_key(a.right);
    return e;
  }
  void assign_field(const Assign& a) {
    const auto left = lower_tested(a.left, scope_);
    const auto* read = left ? std::get_if<nf::Read>(&left->expr->node) : nullptr;
    const nf::ExprPtr e = read != nullptr ? value(a, left->type) : nullptr;
    if (!e) return opaque();
    imply({*left});
    push(nf::SetField{read->key, e, std::nullopt, 0});
  }
  void assign_meta(const Meta& m, const Assign& a) {
    if (one_of(m.key, {"nftrace", "priority", "secmark", "rtclassid"})) return annotate();
    if (m.key != "mark") return opaque();
    const nf::ExprPtr e = value(a, Datatype::mark);
    if (!e) return opaque();
    push(nf::SetMark{e, std::nullopt});
  }
  void assign_ct(const Ct& c, const Assign& a) {
    if (one_of(c.key, {"helper", "timeout", "expectation", "event", "secmark"})) return annotate();
    if (!c.direction.empty() || (c.key != "mark" && c.key != "zone")) return opaque();
    const nf::ExprPtr e = value(a, c.key == "mark" ? Datatype::mark : Datatype::integer);
    if (!e) return opaque();
    if (c.key == "mark") return push(nf::SetCtMark{e, std::nullopt});
    push(nf::CtZone{e});
  }

  // --- others --------------------------------------------------------------------------------------------------------
  void lower(const Notrack&) { push(nf::NoTrack{}); }
  void lower(const Counter& c) {
    if (c.values && !out_.rule.packets) {
      out_.rule.packets = c.values->first;
      out_.rule.bytes = c.values->second;
    }
    push(nf::Annotation{"counter"});
  }
  void lower(const SetUpdate& u) {
    push(nf::SetUpdate{u.set});
    guard(u.element);
  }
  void lower(const Meter& m) {
    push(nf::SetUpdate{m.name});
    guard(m.element);
  }
  // A limit inside the element decides whether the rule goes on.
  void guard(const std::vector<Element>& elements) {
    for (const Element& e : elements) {
      for (const Statement& s : e.statements) {
        if (!std::holds_alternative<Counter>(s.node) && !std::holds_alternative<Last>(s.node)) return undecided();
      }
    }
  }
  void lower(const Xt& x) {
    std::string_view name = x.name;
    if (name.starts_with('"')) name = trim(name.substr(1, name.size() - 2));
    if (name == "comment") return annotate();
    if (x.kind == "match") return undecided();
    if (one_of(name, {"LOG", "NFLOG", "TCPMSS", "CHECKSUM", "TRACE", "AUDIT"})) return annotate();
    opaque();
  }
  void lower(const Synproxy&) { opaque(); }
  void lower(const Fwd& f) {
    const std::string device =
        scope_.family == TableFamily::netdev && f.device.empty() ? device_name(f.to.front()) : std::string();
    if (device.empty()) return opaque();
    push(nf::SendFrame{device});
  }
  void lower(const OpaqueStatement&) { opaque(); }
  // Tables of family ip and ip6 name a gateway, those of netdev a device; others do not know the statement.
  void lower(const Dup& d) {
    nf::Duplicate copy;
    if (scope_.family == TableFamily::netdev) {
      copy.device = device_name(d.to.front());
    } else if (d.device.empty() || !device_name(d.device.front()).empty()) {
      copy.gateway = lower_value(d.to.front(), {scope_.family == TableFamily::ip6 ? Datatype::ipv6 : Datatype::ipv4}, scope_);
      if (copy.gateway) imply_key(d.to.front());
      if (copy.gateway && !d.device.empty()) copy.device = device_name(d.device.front());
    }
    push(std::move(copy));
  }
  // Empty where a map shows it.
  static std::string device_name(const Expression& e) {
    const auto* name = std::get_if<Literal>(&e.node);
    return name != nullptr ? name->text : std::string();
  }
  template <class Harmless>  // log, last, flow add, reset, a hidden comment
  void lower(const Harmless&) {
    annotate();
  }

  const TableScope& scope_;
  std::vector<nf::Chain>& blocks_;
  LoweredRule& out_;
  const Statement* statement_ = nullptr;
};

}  // namespace

LoweredRule lower_rule(const Rule& rule, const TableScope& scope, std::vector<nf::Chain>& blocks) {
  LoweredRule out;
  out.rule.from = {scope.source, rule.line};
  out.rule.comment = rule.comment.value_or("");
  RuleLowering lowering(scope, blocks, out);
  for (const Statement& s : rule.statements) lowering.add(s);
  return out;
}

}  // namespace egt::parsers::nft
