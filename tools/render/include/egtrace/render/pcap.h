// A CaptureAnalysis as JSON (docs/schema/pcap.schema.json) and as text.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/explain/capture.h"
#include "egtrace/render/explain.h"

namespace egt::render {

// Flow by flow: there may be hundreds of thousands.
class PcapJson {
 public:
  explicit PcapJson(std::function<void(std::string_view)> write) : write_(std::move(write)) {}
  void begin(const std::vector<explain::CaptureReport>& captures);
  void flow(const explain::FlowReport& f);
  void end(const explain::CaptureAnalysis& a);

 private:
  std::function<void(std::string_view)> write_;
  bool any_ = false;
};

// Verbose: the places of every flow; otherwise only of those that failed or differ from the prediction.
std::string pcap_text(const explain::CaptureAnalysis& a, const TextOptions& options);

}  // namespace egt::render
