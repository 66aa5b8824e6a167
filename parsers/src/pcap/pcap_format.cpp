// pcap files, read by libpcap: it knows all their dialects (byte orders, nanoseconds, modified headers).
#include <pcap/pcap.h>

#include <cstdio>
#include <memory>

#include "pcap/packet_bytes.h"
#include "pcap/readers.h"

namespace egt::parsers::pcap {
namespace {

struct PcapClose {
  void operator()(pcap_t* p) const { pcap_close(p); }
};

std::uint32_t magic_of(std::string_view b) {
  std::uint32_t m = 0;
  for (std::size_t i = 0; i < 4; ++i) m = m << 8 | static_cast<std::uint8_t>(b[i]);
  return m;
}

}  // namespace

bool is_pcap(std::string_view bytes) {
  if (bytes.size() < 4) return false;
  switch (magic_of(bytes)) {
    case 0xa1b2c3d4:
    case 0xd4c3b2a1:  // microseconds
    case 0xa1b23c4d:
    case 0x4d3cb2a1:  // nanoseconds
    case 0xa1b2cd34:
    case 0x34cdb2a1:  // Kuznetzov's
      return true;
    default: return false;
  }
}

void take_bytes(std::string_view bytes, int link_type, capture::Frame& frame, capture::Capture& capture, const TakeFrame& take) {
  const capture::Direction shown = frame.direction;
  ++capture.frames;
  switch (decode_frame(bytes, link_type, frame)) {
    case Decoded::ip:
      if (shown != capture::Direction::unknown) frame.direction = shown;
      take(frame);
      break;
    case Decoded::not_ip: ++capture.not_ip; break;
    case Decoded::not_understood:
      ++capture.not_understood;
      if (capture.first_not_understood == 0) capture.first_not_understood = frame.number;
      break;
  }
}

Result<capture::Capture> read_pcap(std::string_view bytes, const TakeFrame& take) {
  constexpr std::size_t kHeaderBytes = 24;
  if (bytes.size() < kHeaderBytes) return Error{"a pcap file that ends inside its header"};
  // fmemopen() only reads what it opens with "r".
  FILE* file = fmemopen(const_cast<char*>(bytes.data()), bytes.size(), "r");
  if (file == nullptr) return Error{"cannot be read"};
  char why[PCAP_ERRBUF_SIZE] = "";
  const std::unique_ptr<pcap_t, PcapClose> pcap(pcap_fopen_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO, why));
  if (!pcap) {
    std::fclose(file);
    return Error{why};
  }
  capture::Capture capture;
  capture.format = "pcap";
  const int link_type = pcap_datalink(pcap.get());
  capture.interfaces.push_back({"", is_cooked(link_type)});
  pcap_pkthdr* header = nullptr;
  const u_char* data = nullptr;
  int status = 0;
  while ((status = pcap_next_ex(pcap.get(), &header, &data)) == 1) {
    capture::Frame frame;
    frame.number = capture.frames + 1;
    frame.time = static_cast<std::int64_t>(header->ts.tv_sec) * 1'000'000'000 + header->ts.tv_usec;  // ns, as asked for
    take_bytes({reinterpret_cast<const char*>(data), header->caplen}, link_type, frame, capture, take);
  }
  if (status == PCAP_ERROR) capture.cut_why = pcap_geterr(pcap.get());
  return capture;
}

}  // namespace egt::parsers::pcap
