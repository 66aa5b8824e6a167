// The first line of an OpenFlow reply: "OFPST_FLOW reply (OF1.5) (xid=0x2): flags=[more]"; and the bridge that a dump
// is of.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "egtrace/openflow/bridge.h"
#include "egtrace/ovn_kubernetes/names.h"
#include "egtrace/parsers/format.h"
#include "support/lines.h"

namespace egt::parsers::ofctl {

struct ReplyHeader {
  std::string_view message;  // "NXST_FLOW", "OFPST_GROUP_DESC", "OFPT_FEATURES_REPLY"
  bool reply_word = false;   // "reply" stands behind it
  unsigned minor = 0;        // of OpenFlow 1.x; 0 for 1.0, which is not printed
  std::uint64_t xid = 0;
  bool more = false;      // further parts follow
  std::string_view rest;  // behind the colon
};
bool read_reply_header(std::string_view line, ReplyHeader& out);
void write_reply_header(const ReplyHeader& h, std::string& out);

// Lines that no tool printed as data: empty, "#…", "--" between the parts of a grep.
bool is_filler(std::string_view line);

// "br-int" of "br-int", "unix:/run/openvswitch/br-int.mgmt", "/run/openvswitch/br-int.mgmt".
std::string bridge_name(std::string_view argument);
// First argument behind `verb`, as a bridge; empty when nothing shows.
std::string bridge_of(const Dump& dump, std::string_view verb);
// Where no command shows it: the bridge of the node that the file's name mentions ("worker-1.br-ex.txt"), or that ovs-save
// calls the file after ("br-ex.flows.dump"); empty when nothing shows.
std::string bridge_by_file_name(const Dump& dump, const cluster::Node& node);
// What a dump shows `what` of: "flows br-int". One that names no bridge competes with no other for being read: whose it is
// shows when the node's bridges are known.
std::string topic_of_bridge(const Dump& dump, std::string_view what, std::string_view bridge);
// The node's bridge, made when it does not exist.
openflow::Bridge& ensure_bridge(cluster::Node& node, const std::string& name, Provenance from);

// How surely one of the first lines is the header of a reply whose message, without OFPST_ or NXST_, is `message`.
int confidence_by_header(const Dump& dump, std::string_view message);
// What to call when a dump shows no bridge and there is only one that it can be; empty when nothing shows it.
std::string only_bridge(const cluster::Node& node);
using ovnk::kIntegrationBridge;

}  // namespace egt::parsers::ofctl
