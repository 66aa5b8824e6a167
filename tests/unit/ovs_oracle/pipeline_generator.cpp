// Tables, connections, copies, and what flows write into other flows.
#include <fmt/format.h>

#include "action_generator.h"

namespace egt::testing {

using namespace kind;

std::string ActionWriter::resubmit() {
  if (!may_go_on() || ++tables_ > 2) return output();
  const unsigned table = later_table();
  if (has_kinds(kinds_, tracked | ip) && dice_.one_in(3))
    return !leads_back() && dice_.one_in(4) ? fmt::format("resubmit({},{},ct)", dice_.between(1, 4), table)
                                            : fmt::format("resubmit(,{},ct)", table);
  if (leads_back()) return fmt::format("resubmit(,{})", table);
  switch (dice_.below(12)) {
    case 0: return fmt::format("resubmit({},{})", dice_.between(1, 7), table);
    case 1: return fmt::format("resubmit({},{})", dice_.one_in(2) ? "\"9eth\"" : "p1", table);
    case 2: return fmt::format("resubmit({},{})", dice_.one_in(2) ? "LOCAL" : "IN_PORT", table);
    case 3:  // the current table, as seen from another port: once, for it may lead to itself
      if (dice_.one_in(4)) return dice_.one_in(2) ? "resubmit:4" : "resubmit(3)";
      [[fallthrough]];
    default: return fmt::format("resubmit(,{})", table);
  }
}

std::string ActionWriter::inner(unsigned most) {
  ActionWriter within(dice_, place_, kinds_);
  within.nested_ = nested_ + 1;
  within.tables_ = tables_;
  const auto list = within.list(dice_.between(1, most));
  tables_ = within.tables_;
  return fmt::format("{}", fmt::join(list, ","));
}

std::string ActionWriter::clone() { return nested_ > 1 ? output() : fmt::format("clone({})", inner(3)); }

std::string ActionWriter::length() {
  static const char* const kTo[] = {"NXM_NX_REG9[0]", "NXM_NX_REG0[31]", "OXM_OF_METADATA[5]", "NXM_NX_XXREG1[100]"};
  if (length_ || nested_ > 0 || place_.in_group) return "";
  length_ = true;
  return fmt::format("check_pkt_larger({})->{}", dice_.one_in(2) ? 1500 : 100, dice_.of(kTo));
}

std::string ActionWriter::learn() {
  static const char* const kSpecs[] = {
      "NXM_OF_ETH_DST[]=NXM_OF_ETH_SRC[],output:NXM_OF_IN_PORT[]",
      "NXM_NX_REG0[]=NXM_NX_REG1[],load:NXM_OF_IN_PORT[]->NXM_NX_REG15[0..15]",
      "OXM_OF_METADATA[],load:0x1->NXM_NX_REG10[0]",
      "eth_type=0x800,nw_proto=6,load:5->NXM_NX_REG3[]",
      "NXM_OF_VLAN_TCI[0..11],NXM_OF_ETH_DST[]=NXM_OF_ETH_SRC[],load:0->NXM_OF_VLAN_TCI[],output:NXM_OF_IN_PORT[]",
      "reg2=0x5,reg3[0..7]=0xa,load:NXM_NX_REG4[]->NXM_NX_REG5[],output:NXM_NX_REG15[]",
      "eth_dst=0a:00:00:00:00:01,load:0x12->NXM_NX_XXREG0[96..127]",
      "in_port=2,NXM_NX_TUN_ID[],output:NXM_NX_REG0[0..15]",
      "NXM_OF_IN_PORT[],eth_type=0x86dd,NXM_NX_IPV6_DST[]=NXM_NX_IPV6_SRC[],load:NXM_NX_CT_LABEL[32..63]->NXM_NX_REG1[]",
      "eth_type=0x806,arp_op=1,load:NXM_NX_XXREG1[0..47]->NXM_OF_ETH_DST[],load:1->NXM_OF_IN_PORT[],output:OXM_OF_METADATA[0..7]",
      "eth_type=0x800,nw_tos=8,vlan_tci=0x1005",
  };
  constexpr unsigned kOfIp6 = 8;  // asks for a packet of IPv6
  static const char* const kArguments[] = {",idle_timeout=20",
                                           ",hard_timeout=30",
                                           ",fin_idle_timeout=3",
                                           ",fin_hard_timeout=4",
                                           ",priority=100",
                                           ",cookie=0x77",
                                           ",limit=9",
                                           ",result_dst=reg1[3]",
                                           ",send_flow_rem",
                                           ",delete_learned",
                                           ",result_dst=NXM_NX_REG15[0]"};
  std::string out = fmt::format("learn(table={}", dice_.one_in(2) ? 70 : 99);
  for (const char* a : kArguments)
    if (dice_.one_in(4) && (a[1] != 'r' || out.find("result_dst") == std::string::npos)) out += a;
  unsigned spec = dice_.below(static_cast<unsigned>(std::size(kSpecs)));
  if (spec == kOfIp6 && !(kinds_ & ip6)) spec = 0;
  return fmt::format("{},{})", out, kSpecs[spec]);
}

std::string ActionWriter::clear() { return "ct_clear"; }

std::string ActionWriter::zone() {
  static const char* const kZones[] = {"zone=5",     "zone=NXM_NX_REG10[0..15]", "zone=NXM_NX_REG0[0..15]",     "zone=64000",
                                       "zone=65535", "zone=NXM_NX_CT_ZONE[]",    "zone=OXM_OF_METADATA[16..31]"};
  return dice_.of(kZones);
}

std::string ActionWriter::connect() {
  if (!(kinds_ & ip) && !place_.in_group) return "";
  std::vector<std::string> words;
  const bool commit = dice_.one_in(2);
  if (commit) words.emplace_back("commit");
  if (commit && dice_.one_in(5)) words.emplace_back("force");
  const bool goes_on = may_go_on() && ++tables_ <= 2 && dice_.one_in(2);
  if (goes_on) words.push_back(fmt::format("table={}", later_table()));
  if (!dice_.one_in(4)) words.push_back(zone());
  // A trace shows the translation of a resumed packet from memory that a bucket's actions have left.
  if (dice_.one_in(2) && !(place_.in_group && goes_on)) words.push_back(nat(commit));
  if (commit && dice_.one_in(2)) words.push_back(exec());
  if (dice_.one_in(6) && kinds_ & tcp) words.emplace_back("alg=ftp");
  if (dice_.one_in(6) && kinds_ & udp) words.emplace_back("alg=tftp");
  return fmt::format("ct({})", fmt::join(words, ","));
}

std::string ActionWriter::nat(bool commit) {
  static const char* const kRanges4[] = {"10.9.0.1", "10.9.0.1-10.9.0.9", "10.0.0.3:8080", "10.9.0.1:1000-2000",
                                         "10.9.0.1-10.9.0.9:1000-2000"};
  static const char* const kRanges6[] = {"fd09::1", "fd09::1-fd09::9", "[fd00::3]:8080", "[fd09::1]:1000-2000",
                                         "[fd09::1]-[fd09::9]:1000-2000"};
  static const char* const kFlags[] = {"", "", "", ",persistent", ",hash", ",random", ",persistent,hash", ",persistent,random"};
  if (!commit || !(kinds_ & (ip4 | ip6)) || dice_.one_in(5)) return "nat";
  const char* const which = dice_.one_in(2) ? "src" : "dst";
  if (dice_.one_in(5)) return fmt::format("nat({})", which);
  const bool v4 =
      dice_.one_in(8) ? dice_.one_in(2) : (kinds_ & ip4) != 0;  // an address of the other family is written nevertheless
  return fmt::format("nat({}={}{})", which, v4 ? dice_.of(kRanges4) : dice_.of(kRanges6), dice_.of(kFlags));
}

std::string ActionWriter::exec() {
  static const char* const kExec[] = {
      "set_field:0x1/0x1->ct_mark",
      "set_field:2->ct_mark",
      "set_field:0xffffffff/0xffffffff->ct_mark",
      "set_field:0x1/0x1->ct_label",
      "set_field:0x5->ct_label",
      "set_field:0xa0000000000000000000000000000001/0xffffffffffffffffffffffffffffffff->ct_label",
      "load:0x1->NXM_NX_CT_LABEL[0..3]",
      "load:0x7->NXM_NX_CT_MARK[]",
      "load:1->NXM_NX_CT_MARK[1]",
      "load:0x3->NXM_NX_CT_LABEL[64..127],load:0x2->NXM_NX_CT_LABEL[0..63]",
      "move:NXM_NX_REG0[]->NXM_NX_CT_LABEL[32..63]",
      "move:NXM_NX_REG0[]->NXM_NX_CT_MARK[]",
      "move:NXM_OF_ETH_SRC[]->NXM_NX_CT_LABEL[80..127]",
      "move:NXM_NX_XXREG0[]->NXM_NX_CT_LABEL[]",
      "move:NXM_NX_REG1[0..7]->NXM_NX_CT_MARK[8..15]",
  };
  std::vector<std::string> all = {dice_.of(kExec)};
  while (dice_.one_in(3)) all.emplace_back(dice_.of(kExec));
  std::erase_if(all, [&](const std::string& one) {  // a whole label: two loads
    return dumped_in_old_words() && one.starts_with("set_field") && one.find("label") != one.npos;
  });
  if (all.empty()) all.emplace_back("load:1->NXM_NX_CT_MARK[1]");
  return fmt::format("exec({})", fmt::join(all, ","));
}

void add_instructions(Dice& dice, std::vector<std::string>& actions, const ActionPlace& place, unsigned kinds) {
  const bool meters = place.protocol != "OpenFlow11" && place.protocol != "OpenFlow12";
  if (meters && dice.one_in(8)) actions.insert(actions.begin(), "meter:1");
  if (dice.one_in(8)) actions.emplace_back("clear_actions");
  if (dice.one_in(3)) {
    std::vector<std::string> set;
    for (unsigned i = dice.between(1, 3); i > 0; --i) {
      static const char* const kAny[] = {"output:1",           "output:2", "group:1",      "set_field:7->reg0",
                                         "push_vlan:0x8100",   "output:4", "set_queue:1",  "CONTROLLER:64",
                                         "load:2->reg1[0..3]", "group:3",  "output:LOCAL", "resubmit(,7)",
                                         "push_mpls:0x8847",   "ct_clear", "encap(nsh)",   "set_field:0a:00:00:00:00:0b->eth_src",
                                         "move:reg0[]->reg3[]"};
      static const char* const kIp[] = {"dec_ttl", "ct(commit,zone=4)", "set_field:9->nw_ttl", "ct(table=7)"};
      const bool needs_ethernet = kinds & kind::ethernet;
      std::string one = kinds & kind::ip && dice.one_in(3) ? dice.of(kIp) : dice.of(kAny);
      if (!needs_ethernet && (one.find("vlan") != one.npos || one.find("eth_") != one.npos)) one = "output:3";
      if (place.protocol < "OpenFlow13" && one.starts_with("encap")) one = "output:3";
      if (one.find("resubmit") != one.npos && place.table >= 7) one = "output:3";
      set.push_back(one);
    }
    actions.push_back(fmt::format("write_actions({})", fmt::join(set, ",")));
  }
  if (dice.one_in(4)) actions.emplace_back(dice.one_in(2) ? "write_metadata:0x2" : "write_metadata:0x1/0x3");
  if (dice.one_in(2) && place.table + 1 < kGeneratedTables)
    actions.push_back(fmt::format("goto_table:{}", dice.between(place.table + 1, kGeneratedTables - 1)));
}

}  // namespace egt::testing
