// MPLS labels and the headers of packet-type aware pipelines. What fails is in XlatePacket::error.
#pragma once

#include <cstdint>

#include "datapath_output.h"
#include "policy.h"
#include "xlate_packet.h"
#include "xlate_report.h"

namespace egt::engine::ofproto {

class HeaderActions {
 public:
  HeaderActions(XlatePacket& packet, DatapathOutput& out, const XlateReport& report, Policy& policy)
      : packet_(packet), out_(out), report_(report), policy_(policy) {}

  void push_mpls(std::uint16_t type);
  void pop_mpls(std::uint16_t type);
  void encap(const openflow::Encap& a);
  // Whether what comes to light is to be read by the datapath: the packet recirculates.
  bool decap(const openflow::Decap& a);

 private:
  void encap_ethernet(std::uint32_t type);
  void encap_nsh(std::uint32_t type, const std::string& arguments);
  void encap_mpls(std::uint32_t type, std::uint16_t mpls);
  void decap_ethernet();
  bool decap_nsh();
  bool decap_mpls(const openflow::Decap& a);
  void fails(XlateError error);

  XlatePacket& packet_;
  DatapathOutput& out_;
  const XlateReport& report_;
  Policy& policy_;
};

}  // namespace egt::engine::ofproto
