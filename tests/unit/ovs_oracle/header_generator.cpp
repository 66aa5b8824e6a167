// Actions that put headers on and take them off.
#include <fmt/format.h>

#include "action_generator.h"

namespace egt::testing {

using namespace kind;

std::string ActionWriter::vlan_tag() {
  if (!(kinds_ & ethernet) || dumped_in_old_words()) return "";
  switch (dice_.below(kinds_ & vlan ? 6 : 4)) {
    case 0: kinds_ |= vlan; return dice_.one_in(3) ? "push_vlan:0x88a8" : "push_vlan:0x8100";
    case 1:
      kinds_ |= vlan;
      return dice_.one_in(2) ? fmt::format("mod_vlan_vid:{}", dice_.between(4, 7))
                             : fmt::format("mod_vlan_pcp:{}", dice_.below(8));
    case 2:
      if (!(kinds_ & vlan)) return "";
      return dice_.one_in(2) ? fmt::format("set_vlan_vid:{}", dice_.between(4, 7))
                             : fmt::format("set_vlan_pcp:{}", dice_.below(8));
    case 3:
      if (!(kinds_ & vlan) && dice_.one_in(2)) return "push_vlan:0x8100,set_field:4101->vlan_vid,pop_vlan";
      if (!(kinds_ & vlan)) return kinds_ |= vlan, "push_vlan:0x8100,set_field:4101->vlan_vid";
      kinds_ &= ~vlan;
      return dice_.one_in(4) ? "strip_vlan" : "pop_vlan";
    case 4: return fmt::format("set_field:{}->vlan_vid", 4096 + dice_.between(4, 7));
    default: return fmt::format("set_field:{}->vlan_pcp", dice_.below(8));
  }
}

std::string ActionWriter::mpls_label() {
  static const char* const kChanges[] = {"dec_mpls_ttl",     "set_field:200->mpls_label", "set_field:3->mpls_tc",
                                         "set_mpls_ttl(10)", "set_mpls_label(7)",         "set_mpls_tc(2)",
                                         "set_mpls_ttl:1",   "set_field:9->mpls_ttl"};
  // Before OpenFlow 1.2 a write of a label and a load of all of its bits are shown alike.
  if (place_.in_group || !(kinds_ & ethernet) || dumped_in_old_words()) return "";
  if (!(kinds_ & mpls) && dice_.one_in(2)) {
    const char* const change = dice_.of(kChanges);
    kinds_ = ethernet;
    return fmt::format("push_mpls:0x8847,{},{}pop_mpls:0x1234", change, dice_.one_in(2) ? "output:2," : "");
  }
  if (!(kinds_ & mpls) || dice_.one_in(4)) {
    kinds_ = ethernet | mpls | (kinds_ & vlan);
    return dice_.one_in(4) ? "push_mpls:0x8848" : "push_mpls:0x8847";
  }
  if (!dice_.one_in(3)) return dice_.of(kChanges);
  switch (dice_.below(4)) {
    case 0: return "pop_mpls:0x8847";
    case 1: kinds_ = ethernet; return "pop_mpls:0x1234";
    case 2: kinds_ = ethernet | ip | ip6; return "pop_mpls:0x86dd";
    default: kinds_ = ethernet | ip | ip4; return "pop_mpls:0x0800";
  }
}

std::string ActionWriter::encap() {
  static const char* const kNsh[] = {"encap(nsh)", "encap(nsh(md_type=1))", "encap(nsh(md_type=2,tlv(0x1000,10,0x12345678)))",
                                     "encap(nsh(md_type=2))"};
  if (place_.in_group || !dumps_encap()) return "";
  switch (dice_.below(5)) {
    case 0:
      if (kinds_ & ethernet) return kinds_ & (ip | vlan) ? "" : (kinds_ = ethernet, "decap,encap(ethernet)");
      kinds_ |= ethernet;
      return "encap(ethernet)";
    case 1:
      if (!(kinds_ & ethernet)) return "";
      kinds_ = mpls;
      return dice_.one_in(2) ? "encap(mpls)" : "encap(mpls_mc)";
    case 2:
    case 3: kinds_ = kind::nsh; return dice_.of(kNsh);
    default: {
      static const char* const kTypes[] = {"decap", "decap()", "decap(packet_type(ns=0,type=0))",
                                           "decap(packet_type(ns=1,type=0x894f))"};
      const bool was_ethernet = kinds_ & ethernet;
      kinds_ = was_ethernet ? kinds_ & ~ethernet & ~vlan : any;
      return dice_.of(kTypes);
    }
  }
}

std::string ActionWriter::nsh() {
  static const char* const kChanges[] = {"dec_nsh_ttl", "set_field:0x1234->nsh_spi", "set_field:5->nsh_si",
                                         "set_field:0x11223344->nsh_c1", "set_field:2/0x3->nsh_flags"};
  if (!dumps_encap()) return "";
  if (kinds_ & kind::nsh) return dice_.of(kChanges);
  if (place_.in_group || !dice_.one_in(2)) return "";
  kinds_ = kind::nsh;
  return dice_.one_in(2) ? "encap(nsh),dec_nsh_ttl" : "encap(nsh)";
}

}  // namespace egt::testing
