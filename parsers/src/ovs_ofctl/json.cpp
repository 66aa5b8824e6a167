#include "ovs_ofctl/json.h"

#include <variant>

#include "ovs_ofctl/actions.h"
#include "ovs_ofctl/flow_line.h"
#include "ovs_ofctl/values.h"

namespace egt::parsers::ofctl {
namespace {

using namespace openflow;

std::string value_text(FieldId id, U128 value, const std::optional<U128>& mask = std::nullopt) {
  std::string out;
  write_field_value(field(id), value, mask, out);
  return out;
}

std::string hex_text(U128 v) {
  std::string out;
  write_hex(v, out);
  return out;
}

template <class T>
void put(Json& j, const char* key, const std::optional<T>& v) {
  if (v) j[key] = *v;
}

std::string byte_text(const std::vector<std::uint8_t>& bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const std::uint8_t b : bytes) {
    if (!out.empty()) out += '.';
    out += kDigits[b >> 4];
    out += kDigits[b & 15];
  }
  return out;
}

Json learn_spec(const LearnSpec& s) {
  static constexpr const char* kKinds[] = {"match", "load", "output"};
  Json j{{"kind", kKinds[static_cast<std::size_t>(s.kind)]}};
  if (!s.port.empty())
    j["port"] = s.port;
  else if (const auto* value = std::get_if<U128>(&s.source))
    j["value"] = hex_text(*value);
  if (const auto* from = std::get_if<Subfield>(&s.source)) j["source"] = json_of(*from);
  if (s.kind != LearnSpec::Kind::output) j["dest"] = json_of(s.dest);
  return j;
}

Json nat_json(const Nat& n) {
  static constexpr const char* kKinds[] = {"bare", "src", "dst"};
  Json j{{"kind", kKinds[static_cast<std::size_t>(n.kind)]}};
  if (n.addresses) {
    j["first"] = n.addresses->first.to_string();
    j["last"] = n.addresses->last.to_string();
  }
  put(j, "port_min", n.port_min);
  put(j, "port_max", n.port_max);
  if (n.persistent) j["persistent"] = true;
  if (n.hash) j["hash"] = true;
  if (n.random) j["random"] = true;
  return j;
}

// One object with the action's name as its only key.
struct ActionJson {
  Json operator()(const Output& a) { return {{"output", {{"port", json_of(a.port)}}}}; }
  Json operator()(const OutputReg& a) { return {{"output", {{"source", json_of(a.source)}}}}; }
  Json operator()(const OutputTruncated& a) { return {{"output", {{"port", json_of(a.port)}, {"max_len", a.max_len}}}}; }
  Json operator()(const Enqueue& a) { return {{"enqueue", {{"port", json_of(a.port)}, {"queue", a.queue}}}}; }
  Json operator()(const Controller& a) {
    Json j = Json::object();
    put(j, "reason", a.reason);
    put(j, "max_len", a.max_len);
    put(j, "id", a.id);
    if (a.userdata) j["userdata"] = byte_text(*a.userdata);
    if (a.pause) j["pause"] = true;
    put(j, "meter_id", a.meter_id);
    return {{"controller", j}};
  }
  Json operator()(const GroupRef& a) { return {{"group", a.id}}; }
  Json operator()(const Bundle& a) {
    Json members = Json::array();
    for (const Port& p : a.members) members.push_back(json_of(p));
    Json j{{"fields", a.fields}, {"basis", a.basis}, {"algorithm", a.algorithm}, {"members", members}};
    if (a.dest) j["dest"] = json_of(*a.dest);
    return {{"bundle", j}};
  }
  Json operator()(const Load& a) { return {{"load", {{"value", hex_text(a.value)}, {"dest", json_of(a.dest)}}}}; }
  Json operator()(const SetField& a) {
    Json j{{"field", field(a.field).set_name}, {"value", value_text(a.field, a.value)}};
    if (a.mask) j["mask"] = hex_text(*a.mask);
    return {{a.word, j}};
  }
  Json operator()(const Move& a) { return {{"move", {{"source", json_of(a.source)}, {"dest", json_of(a.dest)}}}}; }
  Json operator()(const Push& a) { return {{"push", json_of(a.source)}}; }
  Json operator()(const Pop& a) { return {{"pop", json_of(a.dest)}}; }
  Json operator()(const DecTtl& a) { return {{"dec_ttl", a.controllers}}; }
  Json operator()(const PushVlan& a) { return {{"push_vlan", a.ethertype}}; }
  Json operator()(const PopVlan&) { return {{"pop_vlan", true}}; }
  Json operator()(const SetVlanVid& a) { return {{a.word, a.vid}}; }
  Json operator()(const SetVlanPcp& a) { return {{a.word, a.pcp}}; }
  Json operator()(const PushMpls& a) { return {{"push_mpls", a.ethertype}}; }
  Json operator()(const PopMpls& a) { return {{"pop_mpls", a.ethertype}}; }
  Json operator()(const SetMpls& a) { return {{a.what, a.value}}; }
  Json operator()(const DecMplsTtl&) { return {{"dec_mpls_ttl", true}}; }
  Json operator()(const DecNshTtl&) { return {{"dec_nsh_ttl", true}}; }
  Json operator()(const Encap& a) { return {{"encap", a.argument}}; }
  Json operator()(const Decap& a) { return {{"decap", a.argument}}; }
  Json operator()(const SetQueue& a) { return {{"set_queue", a.queue}}; }
  Json operator()(const PopQueue&) { return {{"pop_queue", true}}; }
  Json operator()(const FinTimeout& a) {
    Json j = Json::object();
    put(j, "idle_timeout", a.idle);
    put(j, "hard_timeout", a.hard);
    return {{"fin_timeout", j}};
  }
  Json operator()(const Resubmit& a) {
    Json j = Json::object();
    if (a.in_port) j["port"] = json_of(*a.in_port);
    if (a.table) j["table"] = *a.table;
    if (!a.table_name.empty()) j["table"] = a.table_name;
    if (a.with_ct) j["ct"] = true;
    return {{"resubmit", j}};
  }
  Json operator()(const Learn& a) {
    Json j{{"table", a.table}, {"priority", a.priority}};
    put(j, "idle_timeout", a.idle_timeout);
    put(j, "hard_timeout", a.hard_timeout);
    put(j, "fin_idle_timeout", a.fin_idle_timeout);
    put(j, "fin_hard_timeout", a.fin_hard_timeout);
    if (a.send_flow_rem) j["send_flow_rem"] = true;
    if (a.delete_learned) j["delete_learned"] = true;
    if (a.cookie) j["cookie"] = hex_text(*a.cookie);
    put(j, "limit", a.limit);
    if (a.result_dst) j["result_dst"] = json_of(*a.result_dst);
    Json specs = Json::array();
    for (const LearnSpec& s : a.specs) specs.push_back(learn_spec(s));
    j["specs"] = specs;
    return {{"learn", j}};
  }
  Json operator()(const Conjunction& a) {
    return {{"conjunction", {{"id", a.id}, {"clause", a.clause}, {"n_clauses", a.n_clauses}}}};
  }
  Json operator()(const Multipath& a) { return {{"multipath", {{"arguments", a.text}, {"dest", json_of(a.dest)}}}}; }
  Json operator()(const Note& a) { return {{"note", byte_text(a.bytes)}}; }
  Json operator()(const Exit&) { return {{"exit", true}}; }
  Json operator()(const Sample& a) { return {{"sample", a.arguments}}; }
  Json operator()(const Clone& a) { return {{"clone", json_of(a.actions)}}; }
  Json operator()(const Ct& a) {
    Json j = Json::object();
    if (a.commit) j["commit"] = true;
    if (a.force) j["force"] = true;
    put(j, "table", a.table);
    if (const auto* zone = std::get_if<std::uint16_t>(&a.zone)) j["zone"] = *zone;
    if (const auto* zone = std::get_if<Subfield>(&a.zone)) j["zone"] = json_of(*zone);
    if (a.nat) j["nat"] = nat_json(*a.nat);
    if (a.exec) j["exec"] = json_of(*a.exec);
    put(j, "alg", a.alg);
    return {{"ct", j}};
  }
  Json operator()(const CtClear&) { return {{"ct_clear", true}}; }
  Json operator()(const CheckPktLarger& a) { return {{"check_pkt_larger", {{"length", a.length}, {"dest", json_of(a.dest)}}}}; }
  Json operator()(const DeleteField& a) { return {{"delete_field", field(a.field).set_name}}; }
  Json operator()(const Meter& a) { return {{"meter", a.id}}; }
  Json operator()(const ClearActions&) { return {{"clear_actions", true}}; }
  Json operator()(const WriteActions& a) { return {{"write_actions", json_of(a.actions)}}; }
  Json operator()(const WriteMetadata& a) {
    Json j{{"value", hex_text(a.value)}};
    if (a.mask) j["mask"] = hex_text(*a.mask);
    return {{"write_metadata", j}};
  }
  Json operator()(const GotoTable& a) { return {{"goto_table", a.table_name.empty() ? Json(a.table) : Json(a.table_name)}}; }
  Json operator()(const Opaque& a) { return {{"not_understood", a.text}}; }
};

Json stat_json(const FlowStat& s) {
  if (s.kind == FlowStat::Kind::flag) return true;
  if (s.kind == FlowStat::Kind::cookie) return hex_text(s.value);
  if (!s.text.empty()) return s.text;
  if (s.kind != FlowStat::Kind::duration) return s.value;
  std::string text;
  write_duration(s, text);
  return text;
}

}  // namespace

Json json_of(const Port& p) {
  std::string text;
  if (p.name.empty() && reserved_port_word(p.number).empty()) return p.number;
  if (!p.name.empty()) return p.name;
  write_port(p, text);
  return text;
}

Json json_of(const Subfield& s) { return format_subfield(s); }

Json json_of(const Action& a) { return std::visit(ActionJson{}, a.kind); }

Json json_of(const ActionList& actions) {
  Json list = Json::array();
  for (const Action& a : actions) list.push_back(json_of(a));
  return list;
}

Json json_of(const MatchItem& item) {
  if (item.field == FieldId::count_) return {{"protocol", item.name}};
  Json j{{"field", item.name}};
  if (item.form == ValueForm::none) return j;
  if (item.form == ValueForm::name || item.form == ValueForm::word) {
    j["value"] = item.text;
  } else if (item.form == ValueForm::signed_flags || item.form == ValueForm::named_flags) {
    j["value"] = hex_text(item.value);
    if (item.form == ValueForm::signed_flags) j["mask"] = hex_text(item.mask);
  } else {
    j["value"] = value_text(item.field, item.value);
    if (item.mask_form != ValueForm::none) {
      std::string mask = value_text(item.field, item.value, item.mask);
      j["mask"] = mask.substr(mask.find('/') + 1);
    }
  }
  return j;
}

Json json_of(const FlowLine& line) {
  Json j = Json::object();
  for (const FlowStat& s : line.stats) j[std::string(stat_word(s))] = stat_json(s);
  j["priority"] = line.priority.value_or(32768);
  Json match = Json::array();
  for (const MatchItem& item : line.match) match.push_back(json_of(item));
  j["match"] = match;
  j["actions"] = json_of(parse_actions(line.actions));
  return j;
}

Json json_of(const ReplyHeader& h) {
  return {{"message", h.message}, {"openflow", "1." + std::to_string(h.minor)}, {"xid", h.xid}, {"more", h.more}};
}

std::string compact(const Json& j) { return j.dump(-1, ' ', false, Json::error_handler_t::replace); }
std::string pretty(const Json& j) { return j.dump(2, ' ', false, Json::error_handler_t::replace); }

}  // namespace egt::parsers::ofctl
