// Dialects of one action list have one effect, and lists that differ have two.
#include "egtrace/openflow/action_effect.h"

#include <gtest/gtest.h>

#include <string>

#include "egtrace/parsers/ovs_ofctl.h"

namespace egt::openflow {
namespace {

std::string effect(const std::string& text) {
  const auto number = [](std::string_view name) -> std::optional<std::uint32_t> {
    return name == "3f2a91c0aa11e2b" ? std::optional(5U) : std::nullopt;
  };
  return effect_of(parsers::parse_actions(text), number);
}

void expect_equal(const std::string& a, const std::string& b) { EXPECT_EQ(effect(a), effect(b)) << a << "\n" << b; }
void expect_different(const std::string& a, const std::string& b) { EXPECT_NE(effect(a), effect(b)) << a << "\n" << b; }

TEST(ActionEffect, DialectsAreEqual) {
  expect_equal("load:0x5->NXM_NX_REG0[0..7],resubmit(,8)", "set_field:0x5/0xff->reg0,resubmit(,8)");
  expect_equal("load:0x1->NXM_NX_REG13[],load:0x3->OXM_OF_METADATA[]", "set_field:0x3->metadata,set_field:0x1->reg13");
  expect_equal("load:0x64580003->NXM_NX_XXREG0[96..127]", "set_field:0x64580003->reg0");
  expect_equal("load:0x2->NXM_NX_XXREG1[0..63],load:0->NXM_NX_XXREG1[64..127]", "set_field:0x2->xxreg1");
  expect_equal("mod_dl_src:0a:58:0a:85:00:01", "set_field:0a:58:0a:85:00:01->eth_src");
  expect_equal("mod_nw_dst:10.0.0.1", "set_field:10.0.0.1->ip_dst");
  expect_equal("load:0xa000001->NXM_OF_IP_DST[]", "load:0x0a000001->OXM_OF_IPV4_DST[]");
  expect_equal("mod_nw_tos:184", "set_field:46->ip_dscp");
  expect_equal("mod_tp_dst:80", "set_field:80->tcp_dst");
  expect_equal("move:NXM_OF_ETH_DST[]->NXM_OF_ETH_SRC[]", "move:OXM_OF_ETH_DST[]->OXM_OF_ETH_SRC[]");
  expect_equal("strip_vlan,dec_ttl", "pop_vlan,dec_ttl()");
  expect_equal("mod_vlan_vid:5,output:1", "push_vlan:0x8100,set_field:4101->vlan_vid,output:1");
  expect_equal("ct(commit,zone=64000,exec(set_field:0x1->ct_mark)),output:1",
               "ct(commit,zone=64000,exec(load:0x1->NXM_NX_CT_MARK[])),output:1");
  expect_equal("output:3f2a91c0aa11e2b", "output:5");
  expect_equal("output:\"3f2a91c0aa11e2b\"", "output:5");
  expect_equal("CONTROLLER:65535", "controller(max_len=65535)");
}

TEST(ActionEffect, WhatDoesSomethingElseDiffers) {
  expect_different("output:1", "output:2");
  expect_different("output:other0", "output:5");
  expect_different("drop", "resubmit(,8)");
  expect_different("load:0x5->NXM_NX_REG0[0..7]", "load:0x5->NXM_NX_REG0[0..8]");
  expect_different("load:0x5->NXM_NX_REG0[]", "load:0x5->NXM_NX_REG1[]");
  expect_different("load:0x1->NXM_NX_REG0[],output:1", "output:1,load:0x1->NXM_NX_REG0[]");
  expect_different("ct(commit,zone=1)", "ct(commit,zone=2)");
  expect_different("ct(commit,nat(src=10.0.0.1))", "ct(commit,nat(src=10.0.0.2))");
  expect_different("learn(table=1,NXM_OF_ETH_SRC[])", "learn(table=2,NXM_OF_ETH_SRC[])");
  expect_different("frobnicate:1", "frobnicate:2");
}

}  // namespace
}  // namespace egt::openflow
