// The three kinds of captures, each as one function that hands on frames and counts.
#pragma once

#include <string_view>

#include "egtrace/parsers/capture.h"

namespace egt::parsers::pcap {

bool is_pcap(std::string_view bytes);
bool is_pcapng(std::string_view bytes);
bool is_tcpdump_text(std::string_view bytes);

Result<capture::Capture> read_pcap(std::string_view bytes, const TakeFrame& take);
Result<capture::Capture> read_pcapng(std::string_view bytes, const TakeFrame& take);
Result<capture::Capture> read_tcpdump_text(std::string_view bytes, const TakeFrame& take);

// Decodes, counts, and hands on what is IP. `frame` holds number, time and interface; the rest is overwritten.
void take_bytes(std::string_view bytes, int link_type, capture::Frame& frame, capture::Capture& capture, const TakeFrame& take);

}  // namespace egt::parsers::pcap
