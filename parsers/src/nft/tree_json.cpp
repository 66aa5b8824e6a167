#include "nft/tree_json.h"

#include <nlohmann/json.hpp>

#include "egtrace/base/text.h"
#include "nft/print.h"

namespace egt::parsers::nft {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Expression& e);
Json to_json(const Statement& s);
Json to_json(const Rule& r);
Json to_json(const Element& e);

Json list(const std::vector<Expression>& parts) {
  Json out = Json::array();
  for (const Expression& e : parts) out.push_back(to_json(e));
  return out;
}
template <class T>
Json list_of(const std::vector<T>& parts) {
  Json out = Json::array();
  for (const T& e : parts) out.push_back(to_json(e));
  return out;
}
void put(Json& out, const char* key, const std::string& value) {
  if (!value.empty()) out[key] = value;
}
void put(Json& out, const char* key, const std::vector<Expression>& one) {
  if (!one.empty()) out[key] = to_json(one.front());
}
template <class T>
void put(Json& out, const char* key, const std::optional<T>& value) {
  if (value) out[key] = *value;
}

struct ExpressionWriter {
  Json operator()(const Literal& l) const {
    using Kind = Literal::Kind;
    if (l.kind == Kind::number) {
      if (const auto n = parse_decimal(l.text)) return *n;
    }
    if (l.kind == Kind::hex) {
      if (const auto n = parse_u64(l.text)) return *n;
    }
    return l.text;
  }
  Json operator()(const RangeExpr& r) const { return {{"range", list(r.ends)}}; }
  Json operator()(const SetReference& r) const { return "@" + r.name; }
  Json operator()(const Meta& m) const { return {{"meta", m.key}}; }
  Json operator()(const Payload& p) const {
    Json inner{{"protocol", p.protocol}, {"field", p.field}};
    put(inner, "tunnel", p.tunnel);
    return {{"payload", std::move(inner)}};
  }
  Json operator()(const RawPayload& p) const {
    return {{"payload", {{"base", p.base}, {"offset", p.offset}, {"length", p.length}}}};
  }
  Json operator()(const Ct& c) const {
    Json inner{{"key", c.key}};
    put(inner, "direction", c.direction);
    put(inner, "family", c.family);
    return {{"ct", std::move(inner)}};
  }
  Json operator()(const Fib& f) const { return {{"fib", {{"inputs", f.inputs}, {"result", f.result}}}}; }
  Json operator()(const Rt& r) const {
    Json inner{{"key", r.key}};
    put(inner, "family", r.family);
    return {{"rt", std::move(inner)}};
  }
  Json operator()(const Socket& s) const {
    Json inner{{"key", s.key}};
    put(inner, "level", s.level);
    return {{"socket", std::move(inner)}};
  }
  Json operator()(const Numgen& n) const {
    Json inner{{"mode", n.mode}, {"mod", n.modulus}};
    put(inner, "offset", n.offset);
    return {{"numgen", std::move(inner)}};
  }
  Json operator()(const Hash& h) const {
    Json inner{{"mod", h.modulus}};
    if (!h.operand.empty()) inner["of"] = list(h.operand);
    put(inner, "seed", h.seed);
    put(inner, "offset", h.offset);
    return {{h.operand.empty() ? "symhash" : "jhash", std::move(inner)}};
  }
  Json operator()(const HeaderOption& o) const {
    Json inner{{"protocol", o.protocol}, {"option", o.option}};
    put(inner, "field", o.field);
    return {{"option", std::move(inner)}};
  }
  Json operator()(const Osf& o) const { return {{"osf", {{"key", o.key}, {"ttl", o.ttl}}}}; }
  Json operator()(const Ipsec& i) const {
    Json inner{{"direction", i.direction}, {"key", i.key}};
    put(inner, "spnum", i.spnum);
    put(inner, "family", i.family);
    return {{"ipsec", std::move(inner)}};
  }
  Json operator()(const ConcatExpr& c) const { return {{"concat", list(c.parts)}}; }
  Json operator()(const ListExpr& l) const { return list(l.parts); }
  Json operator()(const BinaryExpr& b) const { return {{b.op, list(b.operands)}}; }
  Json operator()(const SetExpr& s) const { return {{"set", list_of(s.elements)}}; }
  Json operator()(const MapExpr& m) const {
    return {{"map", {{"key", to_json(m.key_and_map.front())}, {"data", to_json(m.key_and_map.back())}}}};
  }
  Json operator()(const VerdictExpr& v) const {
    Json inner{{"verdict", v.kind}};
    put(inner, "chain", v.chain);
    return inner;
  }
};

struct StatementWriter {
  Json operator()(const Match& m) const {
    return {{"match", {{"left", to_json(m.left)}, {"op", m.op.empty() ? "implied" : m.op}, {"right", to_json(m.right)}}}};
  }
  Json operator()(const VerdictMap& m) const { return {{"vmap", {{"key", to_json(m.key)}, {"data", to_json(m.map)}}}}; }
  Json operator()(const VerdictStatement& v) const { return ExpressionWriter{}(v.verdict); }
  Json operator()(const BlockVerdict& b) const { return {{"verdict", b.kind}, {"rules", list_of(b.rules)}}; }
  Json operator()(const Counter& c) const {
    Json inner = Json::object();
    put(inner, "name", c.name);
    if (c.values) {
      inner["packets"] = c.values->first;
      inner["bytes"] = c.values->second;
    }
    return {{"counter", std::move(inner)}};
  }
  Json operator()(const Quota& q) const {
    Json inner = Json::object();
    put(inner, "name", q.name);
    if (q.over) inner["over"] = true;
    put(inner, "amount", q.amount);
    put(inner, "used", q.used);
    return {{"quota", std::move(inner)}};
  }
  Json operator()(const Limit& l) const {
    Json inner = Json::object();
    put(inner, "name", l.name);
    if (l.over) inner["over"] = true;
    put(inner, "rate", l.rate);
    put(inner, "burst", l.burst);
    return {{"limit", std::move(inner)}};
  }
  Json operator()(const Last& l) const { return {{"last", l.used}}; }
  Json operator()(const Log& l) const {
    Json inner = Json::object();
    for (const auto& [key, value] : l.options) inner[key] = value;
    return {{"log", std::move(inner)}};
  }
  Json operator()(const Reject& r) const { return {{"reject", r.with}}; }
  Json operator()(const Nat& n) const {
    Json inner = Json::object();
    put(inner, "family", n.family);
    if (n.concatenated) inner["concatenated"] = true;
    if (n.interval) inner["interval"] = true;
    if (n.prefix) inner["prefix"] = true;
    put(inner, "address", n.address);
    put(inner, "port", n.port);
    if (!n.flags.empty()) inner["flags"] = n.flags;
    return {{n.kind, std::move(inner)}};
  }
  Json operator()(const Assign& a) const { return {{"set", {{"key", to_json(a.left)}, {"value", to_json(a.right)}}}}; }
  Json operator()(const Notrack&) const { return {{"notrack", nullptr}}; }
  Json operator()(const FlowAdd& f) const { return {{"flow", {{"op", f.word}, {"table", f.table}}}}; }
  Json operator()(const Queue& q) const {
    Json inner = Json::object();
    put(inner, "to", q.to);
    if (!q.flags.empty()) inner["flags"] = q.flags;
    return {{"queue", std::move(inner)}};
  }
  Json operator()(const Tproxy& t) const {
    Json inner = Json::object();
    put(inner, "family", t.family);
    put(inner, "address", t.address);
    put(inner, "port", t.port);
    return {{"tproxy", std::move(inner)}};
  }
  Json operator()(const Dup& d) const {
    Json inner{{"to", to_json(d.to.front())}};
    put(inner, "device", d.device);
    return {{"dup", std::move(inner)}};
  }
  Json operator()(const Fwd& f) const {
    Json inner{{"to", to_json(f.to.front())}};
    put(inner, "family", f.family);
    put(inner, "device", f.device);
    return {{"fwd", std::move(inner)}};
  }
  Json operator()(const SetUpdate& u) const {
    return {{"update", {{"op", u.op}, {"set", u.set}, {"element", to_json(u.element.front())}}}};
  }
  Json operator()(const Meter& m) const {
    Json inner{{"name", m.name}, {"element", to_json(m.element.front())}};
    put(inner, "size", m.size);
    return {{"meter", std::move(inner)}};
  }
  Json operator()(const Synproxy& s) const {
    Json inner = Json::object();
    put(inner, "name", s.name);
    if (!s.options.empty()) inner["options"] = s.options;
    return {{"synproxy", std::move(inner)}};
  }
  Json operator()(const Xt& x) const { return {{"xt", {{"type", x.kind}, {"name", x.name}}}}; }
  Json operator()(const CtCount& c) const { return {{"ct count", {{"count", c.count}, {"over", c.over}}}}; }
  Json operator()(const ResetOption& r) const { return {{"reset", r.option}}; }
  Json operator()(const HiddenMatch&) const { return {{"hidden", "comment"}}; }
  Json operator()(const OpaqueStatement& o) const { return {{"opaque", o.text}}; }
};

Json to_json(const Expression& e) { return std::visit(ExpressionWriter{}, e.node); }
Json to_json(const Statement& s) { return std::visit(StatementWriter{}, s.node); }

Json to_json(const Element& e) {
  Json out{{"key", to_json(e.key)}};
  put(out, "timeout", e.timeout);
  put(out, "expires", e.expires);
  put(out, "comment", e.comment);
  if (!e.statements.empty()) out["statements"] = list_of(e.statements);
  put(out, "data", e.data);
  return out;
}

Json to_json(const Rule& r) {
  Json out{{"line", r.line}};
  put(out, "handle", r.handle);
  put(out, "comment", r.comment);
  out["statements"] = list_of(r.statements);
  return out;
}

Json to_json(const OpaqueLine& l) { return {{"line", l.line}, {"opaque", l.text}}; }

Json to_json(const BaseHeader& b) {
  Json out{{"type", b.type}, {"hook", b.hook}, {"priority", b.priority}};
  if (!b.devices.empty()) out["devices"] = b.devices;
  put(out, "policy", b.policy);
  if (!b.flags.empty()) out["flags"] = b.flags;
  return out;
}

struct ItemWriter {
  Json operator()(const Chain& c) const {
    Json out{{"chain", c.name}, {"line", c.line}};
    put(out, "handle", c.handle);
    put(out, "comment", c.comment);
    if (c.base) out["base"] = to_json(*c.base);
    Json rules = Json::array();
    for (const auto& item : c.rules) rules.push_back(std::visit([](const auto& r) { return to_json(r); }, item));
    out["rules"] = std::move(rules);
    return out;
  }
  Json operator()(const Set& s) const {
    Json out{{s.is_map ? "map" : "set", s.name}, {"line", s.line}};
    put(out, "handle", s.handle);
    out[s.type.by_expression ? "typeof" : "type"] = s.type.key;
    if (!s.type.data.empty()) out["data"] = s.type.data;
    if (!s.properties.empty()) out["properties"] = s.properties;
    out["elements"] = list_of(s.elements);
    return out;
  }
  Json operator()(const Object& o) const {
    Json out{{o.kind, o.name}, {"line", o.line}};
    put(out, "handle", o.handle);
    out["properties"] = o.lines;
    return out;
  }
  Json operator()(const OpaqueLine& l) const { return to_json(l); }
};

Json to_json(const Table& t) {
  Json out{{"family", t.family}, {"table", t.name}, {"line", t.line}};
  put(out, "handle", t.handle);
  if (t.headless) out["headless"] = true;
  if (t.iptables_warning) out["managed_by"] = "iptables-nft";
  if (!t.properties.empty()) out["properties"] = t.properties;
  Json items = Json::array();
  for (const TableItem& item : t.items) items.push_back(std::visit(ItemWriter{}, item));
  out["items"] = std::move(items);
  return out;
}

}  // namespace

std::string tree_to_json(const Document& document) {
  Json tables = Json::array();
  for (const auto& item : document.items) tables.push_back(std::visit([](const auto& i) { return to_json(i); }, item));
  return Json{{"tables", std::move(tables)}}.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace egt::parsers::nft
