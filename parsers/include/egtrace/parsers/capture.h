// Captured packets: pcap (by libpcap), pcapng and the text that tcpdump prints; what tracers of the kernel saw of packets:
// events of retis and the text of pwru. Frames and events are handed on one by one, so that memory does not grow with the file.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "egtrace/base/result.h"
#include "egtrace/capture/frame.h"
#include "egtrace/capture/kernel_event.h"

namespace egt::parsers {

// Called for each IP packet, in the order of the file. The frame is only good for the call.
using TakeFrame = std::function<void(const capture::Frame&)>;
using TakeEvent = std::function<void(const capture::KernelEvent&)>;

// What the bytes are: "pcap", "pcapng", "tcpdump text", "retis events", "pwru text", or empty.
std::string_view capture_format(std::string_view bytes);

// A capture that is cut gives what came before, and the reason in Capture::cut_why. The error is for what is no capture.
Result<capture::Capture> read_capture(std::string_view bytes, const TakeFrame& take, const TakeEvent& take_event = {});
// The same for a file, compressed or not; "-" is standard input.
Result<capture::Capture> read_capture_file(const std::string& path, const TakeFrame& take, const TakeEvent& take_event = {});

}  // namespace egt::parsers
