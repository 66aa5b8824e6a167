#include <fmt/format.h>

#include <algorithm>

#include "generator.h"

namespace egt::testing {
namespace {

using namespace kind;

constexpr unsigned kLastTable = 7;

// Writes one list of actions; knows what the packet is by then.
class ActionWriter {
 public:
  ActionWriter(Dice& dice, const ActionPlace& place, unsigned kinds) : dice_(dice), place_(place), kinds_(kinds) {}

  std::vector<std::string> list(unsigned length) {
    std::vector<std::string> all;
    for (unsigned i = 0; i < length; ++i)
      if (std::string one = action(); !one.empty()) all.push_back(std::move(one));
    return all;
  }

 private:
  using Make = std::string (ActionWriter::*)();

  std::string action() {
    static constexpr Make kOvn[] = {
        &ActionWriter::table,     &ActionWriter::table, &ActionWriter::table,  &ActionWriter::table,
        &ActionWriter::set_field, &ActionWriter::load,  &ActionWriter::load,   &ActionWriter::move,
        &ActionWriter::conntrack, &ActionWriter::push,  &ActionWriter::output, &ActionWriter::output,
        &ActionWriter::ct_clear,  &ActionWriter::clone, &ActionWriter::pop,    &ActionWriter::dec_ttl,
        &ActionWriter::group,     &ActionWriter::learn, &ActionWriter::length, &ActionWriter::to_controller,
    };
    static constexpr Make kOther[] = {
        &ActionWriter::table,     &ActionWriter::table,        &ActionWriter::set_field,     &ActionWriter::set_field,
        &ActionWriter::load,      &ActionWriter::move,         &ActionWriter::conntrack,     &ActionWriter::push,
        &ActionWriter::pop,       &ActionWriter::output,       &ActionWriter::output,        &ActionWriter::group,
        &ActionWriter::push_vlan, &ActionWriter::pop_vlan,     &ActionWriter::set_vlan,      &ActionWriter::push_mpls,
        &ActionWriter::pop_mpls,  &ActionWriter::mpls_header,  &ActionWriter::dec_ttl,       &ActionWriter::fin_timeout,
        &ActionWriter::multipath, &ActionWriter::bundle,       &ActionWriter::reserved,      &ActionWriter::reserved,
        &ActionWriter::truncated, &ActionWriter::output_field, &ActionWriter::note,          &ActionWriter::exit,
        &ActionWriter::length,    &ActionWriter::clone,        &ActionWriter::to_controller, &ActionWriter::learn,
        &ActionWriter::modify,    &ActionWriter::ct_clear,     &ActionWriter::queue,
    };
    return place_.like_ovn ? (this->*dice_.of(kOvn))() : (this->*dice_.of(kOther))();
  }

  unsigned later_table() { return dice_.between(place_.table + 1, kLastTable); }
  bool may_go_on() const { return place_.table < kLastTable; }

  std::string table() {
    if (!may_go_on() || ++tables_ > 2) return output();
    if (has_kinds(kinds_, tracked | ip) && dice_.one_in(3)) return fmt::format("resubmit(,{},ct)", later_table());
    if (!leads_back() && dice_.one_in(8)) return fmt::format("resubmit({},{})", dice_.between(1, 4), later_table());
    return fmt::format("resubmit(,{})", later_table());
  }
  std::string port() {
    static const char* const kOutputs[] = {"10", "1", "2", "3", "4", "LOCAL", "99"};
    return kOutputs[dice_.between(leads_back() ? 1 : 0, 6)];
  }
  // A packet that goes round between bridges multiplies until the daemon's limits end it: minutes.
  bool leads_back() const { return place_.bridge == "br-ex"; }
  std::string output() { return "output:" + port(); }
  std::string reserved() {
    static const char* const kReserved[] = {"IN_PORT", "FLOOD", "ALL", "NORMAL", "LOCAL", "CONTROLLER", "NORMAL"};
    return kReserved[dice_.between(leads_back() ? 3 : 0, 6)];
  }
  std::string truncated() { return fmt::format("output(port={},max_len={})", port(), dice_.between(64, 1500)); }
  std::string output_field() { return dice_.one_in(2) ? "output:NXM_NX_REG15[]" : "output:NXM_NX_REG0[0..15]"; }
  std::string set_field() {
    for (int attempt = 0; attempt < 8; ++attempt) {
      const FieldPool& f = dice_.of(field_pools());
      if (!f.settable || !may_use(f.needs) || (place_.old_dialect && told_by_old_words(f.name))) continue;
      const bool masked = !f.masked.empty() && !place_.old_dialect && dice_.one_in(3);
      const bool number = f.values.front()[0] == '0' || f.name[0] == 'r';
      return fmt::format("set_field:{}->{}", masked && number ? dice_.of(f.masked) : dice_.of(f.values), f.name);
    }
    return "";
  }
  // A dump in OpenFlow 1.0 tells mod_nw_src and the like whether the switch holds that or a set_field, and a write of
  // 128 bits as two.
  static bool told_by_old_words(std::string_view field) {
    static constexpr std::string_view kFields[] = {"dl_src",    "dl_dst",   "nw_src",  "nw_dst",   "ip_dscp",
                                                   "nw_ecn",    "nw_ttl",   "xxreg0",  "ipv6_src", "ipv6_dst",
                                                   "nd_target", "vlan_pcp", "vlan_vid"};
    return std::find(std::begin(kFields), std::end(kFields), field) != std::end(kFields);
  }
  // Buckets have no match that could forbid it.
  bool may_use(unsigned needs) const {
    if (needs == vlan || needs == nd || needs == icmp6) return has_kinds(kinds_, needs) && !place_.in_group;
    return has_kinds(kinds_, needs) || (place_.in_group && needs != mpls);
  }
  std::string load() {
    static const char* const kLoads[] = {"load:{}->NXM_NX_REG0[0..3]",     "load:{}->NXM_NX_REG15[]",
                                         "load:{}->NXM_NX_REG10[0]",       "load:{}->OXM_OF_METADATA[0..7]",
                                         "load:{}->NXM_NX_XXREG0[64..95]", "load:{}->OXM_OF_PKT_REG1[32..63]",
                                         "load:{}->NXM_OF_IN_PORT[]",      "load:{}->NXM_NX_TUN_ID[0..23]",
                                         "load:{}->NXM_NX_PKT_MARK[4..7]", "load:{}->NXM_OF_ETH_DST[0..7]"};
    const std::string form = dice_.of(kLoads);
    if (leads_back() && form.find("IN_PORT") != std::string::npos) return "";
    if (place_.old_dialect && form.find("ETH_DST") != std::string::npos) return "";  // OpenFlow 1.0 loses the mask
    return fmt::format(fmt::runtime(form), form.find("[0]") != std::string::npos ? dice_.below(2) : dice_.below(6));
  }
  std::string move() {
    static const char* const kAny[] = {"NXM_NX_REG0[]->NXM_NX_REG1[]",
                                       "NXM_OF_IN_PORT[]->NXM_NX_REG14[0..15]",
                                       "NXM_NX_REG15[0..7]->NXM_OF_ETH_SRC[40..47]",
                                       "NXM_OF_ETH_SRC[]->NXM_OF_ETH_DST[]",
                                       "NXM_NX_TUN_ID[0..23]->OXM_OF_METADATA[0..23]",
                                       "NXM_NX_XXREG0[0..31]->NXM_NX_REG15[]",
                                       "NXM_NX_CT_MARK[]->NXM_NX_REG2[]",
                                       "NXM_NX_CT_LABEL[0..31]->NXM_NX_REG1[]"};
    static const char* const kIp4[] = {"NXM_OF_IP_SRC[]->NXM_OF_IP_DST[]", "NXM_NX_REG0[]->NXM_OF_IP_SRC[]",
                                       "NXM_OF_IP_DST[]->NXM_NX_XXREG0[96..127]", "NXM_NX_IP_TTL[]->NXM_NX_REG0[0..7]"};
    static const char* const kIp6[] = {"NXM_NX_IPV6_SRC[]->NXM_NX_IPV6_DST[]", "NXM_NX_IPV6_DST[]->NXM_NX_XXREG1[]",
                                       "NXM_NX_XXREG0[]->NXM_NX_IPV6_SRC[]"};
    static const char* const kTcp[] = {"NXM_OF_TCP_SRC[]->NXM_OF_TCP_DST[]", "NXM_OF_TCP_DST[0..3]->NXM_NX_REG1[4..7]"};
    static const char* const kArp[] = {"NXM_NX_ARP_SHA[]->NXM_NX_ARP_THA[]", "NXM_OF_ARP_SPA[]->NXM_OF_ARP_TPA[]",
                                       "NXM_OF_ETH_SRC[]->NXM_NX_ARP_SHA[]"};
    if (dice_.one_in(2)) return std::string("move:") + dice_.of(kAny);
    if (kinds_ & tcp && dice_.one_in(2)) return std::string("move:") + dice_.of(kTcp);
    if (kinds_ & ip4) return std::string("move:") + dice_.of(kIp4);
    if (kinds_ & ip6) return std::string("move:") + dice_.of(kIp6);
    if (kinds_ & arp) return std::string("move:") + dice_.of(kArp);
    return std::string("move:") + dice_.of(kAny);
  }
  std::string push() { return fmt::format("push:{}", stack_field()); }
  std::string pop() { return fmt::format("pop:{}", stack_field()); }
  const char* stack_field() {
    static const char* const kFields[] = {"NXM_NX_REG0[]",      "NXM_OF_ETH_SRC[]", "NXM_OF_ETH_DST[]",
                                          "NXM_NX_REG15[0..7]", "NXM_OF_IN_PORT[]", "OXM_OF_METADATA[0..31]",
                                          "NXM_NX_XXREG0[]"};
    const char* field = dice_.of(kFields);
    return leads_back() && field == std::string_view("NXM_OF_IN_PORT[]") ? "NXM_NX_REG1[]" : field;
  }
  std::string dec_ttl() { return kinds_ & ip ? (dice_.one_in(8) ? "dec_ttl(1,2)" : "dec_ttl") : ""; }
  std::string ct_clear() { return "ct_clear"; }
  std::string conntrack() {
    if (!(kinds_ & ip) && !place_.in_group) return "ct_clear";
    std::vector<std::string> words;
    const bool commit = dice_.one_in(2);
    if (commit) words.emplace_back("commit");
    if (commit && dice_.one_in(8)) words.emplace_back("force");
    const bool goes_on = may_go_on() && ++tables_ <= 2 && dice_.one_in(2);
    if (goes_on) words.push_back(fmt::format("table={}", later_table()));
    static const char* const kZones[] = {"zone=5", "zone=NXM_NX_REG10[0..15]", "zone=NXM_NX_REG0[0..15]", "zone=64000"};
    if (!dice_.one_in(4)) words.emplace_back(dice_.of(kZones));
    if (dice_.one_in(2)) words.push_back(nat(commit));
    // A trace tells the translation of a resumed packet from memory that a bucket's actions have left.
    if (place_.in_group && goes_on && words.back().starts_with("nat")) words.pop_back();
    if (commit && dice_.one_in(3)) words.push_back(exec());
    if (dice_.one_in(15) && kinds_ & tcp) words.emplace_back("alg=ftp");
    return fmt::format("ct({})", fmt::join(words, ","));
  }
  std::string nat(bool commit) {
    static const char* const k4[] = {"nat(src=10.9.0.1)", "nat(dst=10.0.0.3)",
                                     "nat(src=10.9.0.1-10.9.0.9:1000-2000,random)", "nat(dst=10.0.0.3:8080)",
                                     "nat(src=10.9.0.1,persistent,hash)"};
    static const char* const k6[] = {"nat(src=fd09::1)", "nat(dst=fd00::3)", "nat(dst=[fd00::3]:8080)"};
    if (!commit || !(kinds_ & (ip4 | ip6)) || dice_.one_in(4)) return "nat";
    return kinds_ & ip4 ? dice_.of(k4) : dice_.of(k6);
  }
  std::string exec() {
    static const char* const kExec[] = {
        "exec(set_field:0x1/0x1->ct_mark)", "exec(set_field:2->ct_mark)", "exec(load:0x1->NXM_NX_CT_LABEL[0..3])",
        "exec(move:NXM_NX_REG0[]->NXM_NX_CT_LABEL[32..63])",
        "exec(load:1->NXM_NX_CT_MARK[1],move:NXM_OF_ETH_SRC[]->NXM_NX_CT_LABEL[80..127])"};
    return place_.old_dialect ? "exec(load:1->NXM_NX_CT_MARK[1])" : dice_.of(kExec);
  }
  std::string inner(unsigned most) {
    ActionWriter within(dice_, place_, kinds_);
    within.nested_ = nested_ + 1;
    within.tables_ = tables_;
    const auto list = within.list(dice_.between(1, most));
    tables_ = within.tables_;
    return fmt::format("{}", fmt::join(list, ","));
  }
  std::string clone() {
    if (nested_ > 1) return output();
    return fmt::format("clone({})", inner(3));
  }
  std::string length() {
    if (length_ || nested_ > 0 || place_.in_group) return "";
    length_ = true;
    return fmt::format("check_pkt_larger({})->NXM_NX_REG9[{}]", dice_.one_in(2) ? 1500 : 100, dice_.below(3));
  }
  std::string group() { return place_.in_group ? output() : fmt::format("group:{}", dice_.between(1, 8)); }
  std::string push_vlan() {
    if (kinds_ & (mpls | vlan) || place_.old_dialect) return "";
    kinds_ |= vlan;
    return dice_.one_in(3) ? "push_vlan:0x88a8" : "push_vlan:0x8100";
  }
  std::string pop_vlan() {
    if (!(kinds_ & vlan) || place_.old_dialect) return "";  // OpenFlow 1.0 calls it strip_vlan
    kinds_ &= ~vlan;
    return "pop_vlan";
  }
  // OpenFlow 1.0 tells a push with a write as one action.
  std::string set_vlan() {
    if (place_.old_dialect) return "";
    if (kinds_ & vlan)
      return dice_.one_in(2) ? fmt::format("set_field:{}->vlan_vid", 4096 + dice_.between(4, 7))
                             : "set_field:3->vlan_pcp";
    if (place_.in_group) return "";
    kinds_ |= vlan;
    return dice_.one_in(2) ? "mod_vlan_vid:6" : "mod_vlan_pcp:2";
  }
  std::string push_mpls() {
    if (place_.in_group) return "";
    kinds_ = mpls;
    return dice_.one_in(4) ? "push_mpls:0x8848" : "push_mpls:0x8847";
  }
  std::string pop_mpls() {
    if (!(kinds_ & mpls)) return "";
    kinds_ = dice_.one_in(2) ? ip | ip4 : any;
    return kinds_ & ip ? "pop_mpls:0x0800" : "pop_mpls:0x1234";
  }
  std::string mpls_of() {
    static const char* const kActions[] = {"dec_mpls_ttl",     "set_field:200->mpls_label", "set_field:3->mpls_tc",
                                           "set_mpls_ttl(10)", "set_mpls_label(7)",         "set_mpls_tc(2)"};
    return dice_.of(kActions);
  }
  std::string mpls_header() { return kinds_ & mpls ? mpls_of() : push_mpls(); }
  std::string modify() {
    if (place_.old_dialect) return "";
    static const char* const kAny[] = {"mod_dl_src:0a:00:00:00:00:07", "mod_dl_dst:0a:00:00:00:00:08", "set_tunnel:9",
                                       "set_tunnel64:9"};
    static const char* const kIp[] = {"mod_nw_src:10.7.0.1", "mod_nw_dst:10.7.0.2", "mod_nw_tos:32", "mod_nw_ecn:2",
                                      "mod_nw_ttl:9"};
    if (kinds_ & (tcp | udp) && dice_.one_in(3)) return dice_.one_in(2) ? "mod_tp_src:7" : "mod_tp_dst:8";
    return kinds_ & ip4 && dice_.one_in(2) ? dice_.of(kIp) : dice_.of(kAny);
  }
  std::string fin_timeout() { return kinds_ & tcp ? "fin_timeout(idle_timeout=10,hard_timeout=15)" : ""; }
  std::string multipath() {
    static const char* const kFields[] = {"eth_src", "symmetric_l4", "symmetric_l3l4", "symmetric_l3l4+udp",
                                          "nw_src",  "nw_dst",       "symmetric_l3"};
    static const char* const kWays[] = {"modulo_n", "hash_threshold", "hrw", "iter_hash"};
    return fmt::format("multipath({},{},{},{},{},NXM_NX_REG0[0..3])", dice_.of(kFields), dice_.below(3) * 50,
                       dice_.of(kWays), dice_.between(2, 7), dice_.below(3));
  }
  std::string bundle() {
    const bool hrw = dice_.one_in(2);
    const std::string how = fmt::format("symmetric_l4,{},{},ofport", dice_.below(3), hrw ? "hrw" : "active_backup");
    const std::string members = dice_.one_in(4) ? "members:" : "members:1,2,3";
    return dice_.one_in(2) ? fmt::format("bundle({},{})", how, members)
                           : fmt::format("bundle_load({},NXM_NX_REG1[],{})", how, members);
  }
  std::string to_controller() {
    static const char* const kForms[] = {"controller(max_len=128)",
                                         "controller(reason=no_match,max_len=65535,id=1)",
                                         "controller(userdata=00.00.00.01.00.00.00.00)",
                                         "controller(pause)",
                                         "controller(userdata=00.01,meter_id=1)",
                                         "CONTROLLER:128"};
    return dice_.of(kForms);
  }
  std::string note() { return "note:01.02.03"; }
  std::string exit() { return dice_.one_in(3) ? "exit" : ""; }
  std::string queue() { return dice_.one_in(2) ? "set_queue:1" : "pop_queue"; }
  std::string learn() {
    static const char* const kSpecs[] = {"NXM_OF_ETH_DST[]=NXM_OF_ETH_SRC[],output:NXM_OF_IN_PORT[]",
                                         "NXM_NX_REG0[]=NXM_NX_REG1[],load:NXM_OF_IN_PORT[]->NXM_NX_REG15[0..15]",
                                         "OXM_OF_METADATA[],load:0x1->NXM_NX_REG10[0]"};
    return fmt::format("learn(table=70,idle_timeout=20,priority=100,cookie=0x77,{})", dice_.of(kSpecs));
  }

  Dice& dice_;
  const ActionPlace& place_;
  unsigned kinds_, tables_ = 0, nested_ = 0;
  bool length_ = false;
};

}  // namespace

std::vector<std::string> random_actions(Dice& dice, const ActionPlace& place, unsigned kinds) {
  return ActionWriter(dice, place, kinds).list(dice.between(0, 5));
}

}  // namespace egt::testing
