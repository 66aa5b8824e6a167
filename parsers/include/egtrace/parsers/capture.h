// Captured packets: pcap (by libpcap), pcapng and the text that tcpdump prints. Frames are handed on one by one, so that
// memory does not grow with the file.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "egtrace/base/result.h"
#include "egtrace/capture/frame.h"

namespace egt::parsers {

// Called for each IP packet, in the order of the file. The frame is only good for the call.
using TakeFrame = std::function<void(const capture::Frame&)>;

// What the bytes are: "pcap", "pcapng", "tcpdump text", or empty.
std::string_view capture_format(std::string_view bytes);

// A capture that is cut gives what came before, and says so in Capture::cut_why. The error is for what is no capture.
Result<capture::Capture> read_capture(std::string_view bytes, const TakeFrame& take);
// The same for a file, compressed or not; "-" is standard input.
Result<capture::Capture> read_capture_file(const std::string& path, const TakeFrame& take);

}  // namespace egt::parsers
