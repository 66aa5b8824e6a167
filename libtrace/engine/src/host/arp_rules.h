// Netfilter rules about ARP: chains of nft's family arp, which the kernel asks where a host sends ARP (output) and where it receives it
// (input; NF_ARP_OUT and NF_ARP_IN of net/ipv4/arp.c). arptables-nft makes such tables.
#pragma once

#include <string>

#include "egtrace/engine/netfilter.h"

namespace egt::engine {

// Whether a chain of this hook has rules, or drops by default.
bool has_arp_rules(const host::Host& host, netfilter::Hook hook);
HookResult run_arp_rules(const host::Host& host, const std::string& node, netfilter::Hook hook, NetfilterContext& context,
                         Record& record, Chooser& chooser);

}  // namespace egt::engine
