#include <fmt/format.h>

#include <algorithm>

#include "generator.h"

namespace egt::testing {
namespace {

const char* const kBridges[] = {"br-int", "br-ex", "br-b"};
constexpr unsigned kFlowsAboutFields = 12;

std::string random_head(Dice& dice, unsigned table) {
  const unsigned priority = dice.one_in(6) ? 32768 : dice.below(5) * 10;
  return fmt::format("table={},priority={}", table, priority);
}

struct Where {
  const std::string& bridge;
  bool like_ovn;
  const Dialect& dialect;
  unsigned tlv_map;
  const Protocols& protocols;
};

GeneratedFlow random_flow(Dice& dice, const Where& at, unsigned table) {
  const Protocol& protocol = *dice.of(at.protocols);
  GeneratedFlow flow;
  flow.bridge = at.bridge;
  flow.head = random_head(dice, table);
  flow.match = random_match(dice, protocol, at.tlv_map);
  const ActionPlace place{flow.bridge, table, at.like_ovn, at.dialect.protocol, false, at.tlv_map};
  flow.actions = random_actions(dice, place, flow.match.kinds());
  if (!at.like_ovn && at.dialect.protocol != "OpenFlow10" && dice.one_in(3))
    add_instructions(dice, flow.actions, place, flow.match.kinds());
  return flow;
}

// For packets that meet no other flow: those of a protocol, or all.
GeneratedFlow flow_for_the_rest(Dice& dice, const Where& at, unsigned table, unsigned priority) {
  GeneratedFlow rest;
  rest.bridge = at.bridge;
  rest.head = fmt::format("table={},priority={}", table, priority);
  if (priority != 0) rest.match = {dice.of(at.protocols), {}};
  const ActionPlace place{rest.bridge, table, at.like_ovn, at.dialect.protocol, false, at.tlv_map};
  rest.actions = random_actions(dice, place, rest.match.kinds());
  return rest;
}

// Registers and what every packet has are many, and elsewhere too; options of tunnels are few, and each in some maps alone.
const FieldSpec& subject(Dice& dice, unsigned tlv_map) {
  const bool wants_option = tlv_map != 0 && dice.one_in(6);
  for (;;) {
    const FieldSpec& f = dice.of(field_specs(tlv_map));
    const std::string_view name = f.name;
    if (wants_option) {
      if (name.starts_with("tun_metadata")) return f;
      continue;
    }
    const bool is_register = name.find("reg") != name.npos;
    if (is_register ? dice.one_in(2) : f.needs != kind::any || name.starts_with("tun_") || dice.one_in(2)) return f;
  }
}

// A flow before all others of its table, of which one field is the subject: among all fields, none is met often by chance.
GeneratedFlow flow_about_a_field(Dice& dice, const Where& at, const FieldSpec& f) {
  GeneratedFlow flow;
  flow.about_field = true;
  flow.bridge = at.bridge;
  flow.head = fmt::format("table=0,priority={}", 100 + dice.below(100));
  flow.match = match_of(dice, f);
  flow.actions =
      actions_about(dice, {flow.bridge, 0, at.like_ovn, at.dialect.protocol, false, at.tlv_map}, flow.match.kinds(), f);
  return flow;
}

// Where the action set sends to: seen in the tables behind the one that writes it. That packet does not recirculate: the
// switch ends with a failed assertion where it freezes an action set that is longer than the actions it freezes.
void add_action_set(Dice& dice, Configuration& c, const Where& at) {
  static const char* const kSets[] = {"output:1", "output:1,set_queue:1", "output:1,set_field:1->reg1"};
  const unsigned table = dice.between(1, kGeneratedTables - 1), port = dice.between(1, 3);
  const FieldSpec& field = field_spec("actset_output");
  GeneratedFlow writer;
  writer.bridge = at.bridge;
  writer.head = "table=0,priority=99";
  writer.match = {dice.of(at.protocols), {{&field_spec("in_port"), {port, ones(16)}, Masking::none}}};
  writer.actions = {fmt::format("write_actions({})", dice.of(kSets)), fmt::format("goto_table:{}", table)};
  writer.about_field = true;
  c.flows.push_back(writer);
  GeneratedFlow reader;
  reader.bridge = at.bridge;
  reader.head = fmt::format("table={},priority=99", table);
  reader.match = {writer.match.protocol, {{&field, {1, ones(32)}, Masking::none}}};
  reader.actions =
      actions_about(dice, {at.bridge, table, at.like_ovn, at.dialect.protocol, false, at.tlv_map}, reader.match.kinds(), field);
  std::erase_if(reader.actions, [](const std::string& a) {
    static constexpr std::string_view kKept[] = {"set_field:", "load:", "move:", "push:", "pop:", "output"};
    return std::none_of(std::begin(kKept), std::end(kKept), [&](std::string_view b) { return a.starts_with(b); });
  });
  c.flows.push_back(reader);
}

// Two dimensions of a conjunction, and what it leads to.
void add_conjunction(Dice& dice, Configuration& c, const std::string& bridge) {
  const unsigned table = dice.below(kGeneratedTables), id = dice.between(1, 3), priority = dice.below(5) * 10 + 5;
  const std::string head = fmt::format("table={},priority={}", table, priority);
  const auto add = [&](const std::string& match, std::string action) {
    c.flows.push_back({bridge, head, {}, match, {std::move(action)}});
  };
  const unsigned n = dice.one_in(4) ? 3 : 2;
  for (const char* from : {"nw_src=10.0.0.1", "nw_src=10.0.0.0/24", "nw_src=10.1.0.1"})
    if (!dice.one_in(3)) add(fmt::format("ip,{}", from), fmt::format("conjunction({},1/{})", id, n));
  for (const char* to : {"nw_dst=10.0.0.1", "nw_dst=10.96.0.0/16", "nw_dst=10.0.0.3"})
    if (!dice.one_in(3)) add(fmt::format("ip,{}", to), fmt::format("conjunction({},2/{})", id, n));
  if (n == 3) add("ip,nw_ttl=64", fmt::format("conjunction({},3/3)", id));
  if (!dice.one_in(6))
    add(fmt::format("conj_id={},ip", id), dice.one_in(2) ? "resubmit(,7)" : fmt::format("output:{}", dice.between(1, 4)));
}

GeneratedGroup random_group(Dice& dice, const Where& at, unsigned id) {
  static const char* const kTypes[] = {"all",
                                       "select,selection_method=dp_hash",
                                       "select,selection_method=hash,fields(ip_src,ip_dst)",
                                       "select,selection_method=hash,fields(eth_src,tcp_dst,udp_dst)",
                                       "select,selection_method=hash,fields(ip_dst=255.255.0.0,nw_proto)",
                                       "select,selection_method=hash,selection_method_param=5,fields(ipv6_dst)",
                                       "select,selection_method=hash",
                                       "select",
                                       "indirect",
                                       "ff"};
  const std::string type = dice.of(kTypes);
  GeneratedGroup group{at.bridge, fmt::format("group_id={},type={}", id, type), {}};
  const ActionPlace place{at.bridge, 4, at.like_ovn, at.dialect.protocol, true, at.tlv_map};
  const unsigned n = type == "indirect" ? 1 : dice.between(0, 4);
  for (unsigned i = 0; i < n; ++i) {
    std::string bucket;
    if (type.starts_with("select") && dice.one_in(2)) bucket = fmt::format("weight:{},", dice.between(0, 3));
    const bool watches = type == "ff" || (type.starts_with("select") && dice.one_in(4));
    if (watches && (type != "ff" || id == 1 || !dice.one_in(4))) bucket += fmt::format("watch_port:{},", dice.between(1, 5));
    if (watches && id > 1 && (bucket.find("watch") == bucket.npos || dice.one_in(3)))
      bucket += fmt::format("watch_group:{},", dice.between(1, id - 1));
    const auto actions = random_actions(dice, place, kind::ethernet | kind::ip | kind::ip4);
    bucket += fmt::format("actions={}", actions.empty() ? "drop" : fmt::format("{}", fmt::join(actions, ",")));
    group.buckets.push_back(bucket);
  }
  return group;
}

void configure_ports(Dice& dice, Configuration& c) {
  static const char* const kFlags[] = {"no-flood", "no-forward", "no-receive", "no-packet-in", "down", "no-receive-stp"};
  for (unsigned i = dice.one_in(2) ? 0 : dice.between(1, 4); i > 0; --i) {
    const char* const bridge = dice.of(kBridges);
    static const char* const kInt[] = {"1", "2", "3", "4", "10", "LOCAL", "5"};
    static const char* const kOther[] = {"1", "2", "LOCAL", "10"};
    c.ports.push_back({bridge, bridge == kBridges[0] ? dice.of(kInt) : dice.of(kOther), dice.of(kFlags)});
  }
  static const char* const kModes[] = {"normal", "drop", "nx-match"};
  for (const char* bridge : kBridges) c.fragments.emplace_back(bridge, dice.one_in(3) ? dice.of(kModes) : "normal");
}

Dialect random_dialect(Dice& dice) {
  static const char* const kProtocols[] = {"OpenFlow10", "OpenFlow11", "OpenFlow12", "OpenFlow13", "OpenFlow14"};
  static const char* const kNames[] = {"", "--names", "--no-names"};
  Dialect d;
  if (dice.one_in(3)) d.protocol = dice.of(kProtocols);
  if (const char* only = std::getenv("EGTRACE_PROTOCOL")) d.protocol = only;
  d.dump_names = dice.of(kNames);
  d.trace_names = dice.of(kNames);
  return d;
}

}  // namespace

std::string text_of(const GeneratedFlow& flow) {
  std::string text = flow.cookie == 0 ? flow.head : fmt::format("cookie=0x{:x},{}", flow.cookie, flow.head);
  for (const std::string& part : {flow.match.text(), flow.more_match})
    if (!part.empty()) text += "," + part;
  if (flow.actions.empty()) return text + ",actions=drop";
  return fmt::format("{},actions={}", text, fmt::join(flow.actions, ","));
}

std::string text_of(const GeneratedGroup& group) {
  std::string text = group.head;
  for (const std::string& b : group.buckets) text += ",bucket=" + b;
  return text;
}

const std::vector<const char*>& tlv_maps() {
  static const std::vector<const char*> all = {
      "",
      "{class=0x102,type=0x80,len=4}->tun_metadata5",
      "{class=0x102,type=0x80,len=4}->tun_metadata0,{class=0x103,type=1,len=8}->tun_metadata1,"
      "{class=0xffff,type=2,len=16}->tun_metadata2",
      "{class=0x102,type=0x80,len=8}->tun_metadata0,{class=0x103,type=1,len=4}->tun_metadata1,"
      "{class=0x103,type=2,len=4}->tun_metadata2",
      "{class=1,type=3,len=12}->tun_metadata2,{class=1,type=4,len=4}->tun_metadata0,{class=2,type=4,len=16}->tun_metadata1",
      "{class=9,type=1,len=124}->tun_metadata0,{class=9,type=2,len=16}->tun_metadata7,{class=9,type=3,len=8}->tun_metadata3",
  };
  return all;
}

Configuration random_configuration(Dice& dice) {
  Configuration c;
  const bool like_ovn = dice.one_in(3);
  c.protocols = random_protocols(dice, like_ovn);
  c.dialect = random_dialect(dice);
  static const char* const kStates[] = {"trk,est", "trk,new",      "trk,est,rpl", "trk,inv",
                                        "trk,rel", "trk,new,snat", "trk,est,dnat"};
  for (unsigned i = dice.below(3); i > 0; --i) c.ct_next.emplace_back(dice.of(kStates));
  c.tlv_map = dice.below(static_cast<unsigned>(tlv_maps().size()));
  configure_ports(dice, c);
  c.settings = random_settings(dice);
  for (const char* name : kBridges) {
    const std::string bridge = name;
    const Where at{bridge, like_ovn, c.dialect, c.tlv_map, c.protocols};
    for (unsigned table = 0; table < kGeneratedTables; ++table) {
      // The first table has most: packets are made for its flows.
      for (unsigned i = table == 0 ? dice.between(5, 9) : dice.between(1, 4); i > 0; --i)
        c.flows.push_back(random_flow(dice, at, table));
      for (unsigned i = 0; i < 4; ++i) c.flows.push_back(flow_for_the_rest(dice, at, table, i));
    }
    for (unsigned i = 0; i < kFlowsAboutFields; ++i) c.flows.push_back(flow_about_a_field(dice, at, subject(dice, at.tlv_map)));
    if (!like_ovn && c.dialect.protocol != "OpenFlow10" && dice.one_in(2)) add_action_set(dice, c, at);
    if (dice.one_in(2)) add_conjunction(dice, c, bridge);
    for (unsigned id = 1; id <= kGeneratedGroups; ++id) c.groups.push_back(random_group(dice, at, id));
  }
  for (std::size_t i = 0; i < c.flows.size(); ++i)
    if (!dice.one_in(8)) c.flows[i].cookie = static_cast<unsigned>(i + 1);
  return c;
}

}  // namespace egt::testing
