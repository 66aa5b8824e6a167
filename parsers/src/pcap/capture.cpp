#include "egtrace/parsers/capture.h"

#include "egtrace/parsers/content.h"
#include "pcap/readers.h"

namespace egt::parsers {

std::string_view capture_format(std::string_view bytes) {
  if (pcap::is_pcap(bytes)) return "pcap";
  if (pcap::is_pcapng(bytes)) return "pcapng";
  if (pcap::is_tcpdump_text(bytes)) return "tcpdump text";
  return {};
}

Result<capture::Capture> read_capture(std::string_view bytes, const TakeFrame& take) {
  if (pcap::is_pcap(bytes)) return pcap::read_pcap(bytes, take);
  if (pcap::is_pcapng(bytes)) return pcap::read_pcapng(bytes, take);
  if (pcap::is_tcpdump_text(bytes)) return pcap::read_tcpdump_text(bytes, take);
  return Error{"no capture: neither pcap, pcapng nor text of tcpdump"};
}

Result<capture::Capture> read_capture_file(const std::string& path, const TakeFrame& take) {
  const auto content = read_content(path);
  if (!content) return content.error();
  auto capture = read_capture(content->text, take);
  if (capture && content->cut && capture->cut_why.empty()) capture->cut_why = content->cut_why;
  return capture;
}

}  // namespace egt::parsers
