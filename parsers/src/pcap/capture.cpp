#include "egtrace/parsers/capture.h"

#include "egtrace/parsers/content.h"
#include "kernel_events/readers.h"
#include "pcap/readers.h"

namespace egt::parsers {

std::string_view capture_format(std::string_view bytes) {
  if (pcap::is_pcap(bytes)) return "pcap";
  if (pcap::is_pcapng(bytes)) return "pcapng";
  if (kernel_events::is_retis(bytes)) return "retis events";
  if (kernel_events::is_pwru(bytes)) return "pwru text";
  if (pcap::is_tcpdump_text(bytes)) return "tcpdump text";
  return {};
}

Result<capture::Capture> read_capture(std::string_view bytes, const TakeFrame& take, const TakeEvent& take_event) {
  const TakeEvent ignore = [](const capture::KernelEvent&) {};
  const TakeEvent& events = take_event ? take_event : ignore;
  if (pcap::is_pcap(bytes)) return pcap::read_pcap(bytes, take);
  if (pcap::is_pcapng(bytes)) return pcap::read_pcapng(bytes, take);
  if (kernel_events::is_retis(bytes)) return kernel_events::read_retis(bytes, events);
  if (kernel_events::is_pwru(bytes)) return kernel_events::read_pwru(bytes, events);
  if (pcap::is_tcpdump_text(bytes)) return pcap::read_tcpdump_text(bytes, take);
  return Error{"no capture: neither pcap, pcapng, text of tcpdump or pwru, nor events of retis"};
}

Result<capture::Capture> read_capture_file(const std::string& path, const TakeFrame& take, const TakeEvent& take_event) {
  const auto content = read_content(path);
  if (!content) return content.error();
  auto capture = read_capture(content->text, take, take_event);
  if (capture && content->cut && capture->cut_why.empty()) capture->cut_why = content->cut_why;
  return capture;
}

}  // namespace egt::parsers
