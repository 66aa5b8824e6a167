// Whether ARP or neighbour discovery between two machines is lost in what they themselves put in its way: the flows of the
// bridges of Open vSwitch by whose devices they speak and, as IPv6 packets, the netfilter rules of both hosts.
#pragma once

#include "egtrace/engine/link_answer.h"
#include "topology.h"

namespace egt::engine {

struct LinkExchange {
  WireEnd asker, owner;     // by the devices that have the addresses
  LinkQuestion question;
};

// Of the request or of its answer. False also where the dumps leave it open.
bool is_lost(const LinkExchange& exchange);

}  // namespace egt::engine
