#include "iptables/json.h"

#include <nlohmann/json.hpp>

#include "iptables/rule_parser.h"
#include "iptables/value.h"

namespace egt::parsers::iptables {
namespace {

using Json = nlohmann::ordered_json;

Json range_json(const Range& r) { return r.first == r.last ? Json(r.first) : Json{{"first", r.first}, {"last", r.last}}; }

struct ValueJson {
  Json operator()(std::monostate) const { return true; }
  Json operator()(const Word& w) const { return w.text; }
  Json operator()(std::uint64_t n) const { return n; }
  Json operator()(const Range& r) const { return range_json(r); }
  Json operator()(const PortList& l) const {
    Json out = Json::array();
    for (const Range& r : l.ranges) out.push_back(range_json(r));
    return out;
  }
  Json operator()(const MaskedNumber& m) const { return {{"value", m.value}, {"mask", m.mask}}; }
  Json operator()(const Network& n) const { return print_network(n, true); }
  Json operator()(const IpRange& r) const { return {{"first", r.first.to_string()}, {"last", r.last.to_string()}}; }
  Json operator()(const MacAddr& m) const { return m.to_string(); }
  Json operator()(const WordList& l) const { return l.words; }
  Json operator()(const TcpFlags& f) const { return {{"mask", f.mask}, {"set", f.set}}; }
  Json operator()(const IcmpType& t) const {
    if (t.any) return "any";
    Json out{{"type", t.type}};
    if (t.code) out["code"] = range_json(*t.code);
    return out;
  }
  Json operator()(const NatAddress& n) const {
    Json out = Json::object();
    if (n.address) out["address"] = (*this)(*n.address);
    if (n.ports) out["ports"] = range_json(*n.ports);
    if (n.base) out["base"] = *n.base;
    return out;
  }
  Json operator()(const Words& w) const {
    Json out = Json::array();
    for (const Word& one : w.words) out.push_back(one.text);
    return out;
  }
};

Json options_json(const std::vector<Option>& options) {
  Json out = Json::array();
  for (const Option& o : options) {
    Json one{{"option", o.name}};
    if (o.negate) one["negate"] = true;
    if (!o.spec) one["understood"] = false;
    one["value"] = std::visit(ValueJson{}, o.value);
    out.push_back(std::move(one));
  }
  return out;
}

template <class T>
void put_selector(Json& out, const char* name, const std::optional<Selector<T>>& s) {
  if (!s) return;
  Json one;
  if constexpr (std::is_same_v<T, Network>)
    one["value"] = print_network(s->value, true);
  else
    one["value"] = s->value;
  if (s->negate) one["negate"] = true;
  out[name] = std::move(one);
}

Json rule_json(const Rule& r, std::uint32_t line) {
  Json out{{"line", line}};
  if (r.counters) out["packets"] = r.counters->packets, out["bytes"] = r.counters->bytes;
  put_selector(out, "source", r.source);
  put_selector(out, "destination", r.destination);
  put_selector(out, "in", r.in_device);
  put_selector(out, "out", r.out_device);
  put_selector(out, "protocol", r.protocol);
  if (r.fragment) out["fragment"] = *r.fragment;
  if (!r.matches.empty()) out["matches"] = Json::array();
  for (const Match& m : r.matches) {
    Json one{{"match", m.module}};
    if (!m.known) one["understood"] = false;
    one["options"] = options_json(m.options);
    out["matches"].push_back(std::move(one));
  }
  if (r.target) {
    Json target{{r.target->go_to ? "goto" : "jump", r.target->name}};
    if (!r.target->options.empty()) target["options"] = options_json(r.target->options);
    out["target"] = std::move(target);
  }
  if (!r.not_understood.empty()) out["not_understood"] = ValueJson{}(Words{r.not_understood});
  return out;
}

class Builder {
 public:
  explicit Builder(const Traits& t) : table_(t.table) {
    root_["kind"] = t.save ? "iptables-save" : t.listing ? "iptables -L" : "iptables -S";
    root_["family"] = t.family == Family::v4 ? "ip" : "ip6";
    root_["legacy"] = t.legacy;
    root_["tables"] = Json::array();
    root_["comments"] = Json::array();
    root_["not_understood"] = Json::array();
  }

  std::string run(const Document& document) {
    for (const TreeLine& line : document.lines) {
      line_ = line.number;
      std::visit([this](const auto& item) { on(item); }, line.item);
    }
    return root_.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  }

 private:
  // Found by name among few; the last one is the usual one.
  static Json& named(Json& list, const std::string& name) {
    for (auto i = list.rbegin(); i != list.rend(); ++i)
      if ((*i)["name"] == name) return *i;
    list.push_back({{"name", name}});
    return list.back();
  }
  Json& table(const std::string& name) {
    Json& t = named(root_["tables"], name);
    if (!t.contains("chains")) t["chains"] = Json::array();
    return t;
  }
  Json& chain(const std::string& name) { return named(table(table_)["chains"], name); }

  void on(const CommentLine& c) { root_["comments"].push_back({{"line", line_}, {"text", c.text}}); }
  void on(const BlankLine&) {}
  void on(const CommitLine&) {}
  void on(const ListedColumnsLine&) {}
  void on(const TableLine& t) {
    table_ = t.name;
    table(t.name);
  }
  void put_policy(const std::string& name, const std::string& policy, const std::optional<Counters>& counters) {
    Json& c = chain(name);
    c["line"] = line_;
    if (!policy.empty() && policy != "-") c["policy"] = policy;
    if (counters) c["packets"] = counters->packets, c["bytes"] = counters->bytes;
    if (!c.contains("rules")) c["rules"] = Json::array();
  }
  void on(const ChainLine& c) { put_policy(c.name, c.policy, c.counters); }
  void on(const PolicyLine& p) { put_policy(p.chain, p.policy, p.counters); }
  void on(const NewChainLine& n) { put_policy(n.chain, "", std::nullopt); }
  void on(const ListedChainLine& c) { put_policy(c.name, c.policy, std::nullopt); }
  void put_rule(const Rule& r) {
    Json& c = chain(r.chain);
    if (!c.contains("rules")) c["rules"] = Json::array();
    c["rules"].push_back(rule_json(r, line_));
  }
  void on(const RuleLine& r) { put_rule(r.rule); }
  void on(const ListedRuleLine& r) { put_rule(r.rule); }
  void on(const UnknownLine& u) { root_["not_understood"].push_back({{"line", line_}, {"text", u.text}}); }

  Json root_;
  std::string table_;
  std::uint32_t line_ = 0;
};

}  // namespace

std::string to_json_text(const Document& document, const Traits& traits) { return Builder(traits).run(document); }

}  // namespace egt::parsers::iptables
