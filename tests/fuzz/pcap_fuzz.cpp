// Captures of all kinds and events of tracers, and the study of what is in them, from arbitrary bytes.
#include <cstdint>
#include <string_view>

#include "egtrace/explain/capture.h"
#include "egtrace/parsers/capture.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace egt;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  explain::CaptureStudy study;
  const std::size_t file = study.begin("fuzz.pcap");
  const auto capture = parsers::read_capture(
      bytes, [&](const capture::Frame& frame) { study.take(file, frame); },
      [&](const capture::KernelEvent& event) { study.take(file, event); });
  if (capture) study.end(file, *capture);
  static const cluster::Cluster kNothingKnown;
  study.conclude(kNothingKnown);
  return 0;
}
