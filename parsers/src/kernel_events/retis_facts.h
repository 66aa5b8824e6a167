// The sections of a retis event that say where it was and what became of the packet.
#pragma once

#include <cstdint>

#include "egtrace/capture/kernel_event.h"
#include "kernel_events/json_line.h"

namespace egt::parsers::kernel_events {

void read_probe(JsonLine& json, bool user, capture::EventFacts& facts);
std::uint64_t read_tracking(JsonLine& json);  // equal for all events of a packet; 0 where it shows none
void read_ovs(JsonLine& json, capture::KernelEvent& e);
void read_conntrack(JsonLine& json, capture::EventFacts& facts);
void read_nft(JsonLine& json, capture::EventFacts& facts);
void read_drop(JsonLine& json, capture::EventFacts& facts);

}  // namespace egt::parsers::kernel_events
