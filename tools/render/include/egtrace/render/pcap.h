// A CaptureAnalysis as JSON (docs/schema/pcap.schema.json) and as text.
#pragma once

#include <string>

#include "egtrace/explain/capture.h"
#include "egtrace/render/explain.h"

namespace egt::render {

std::string pcap_json(const explain::CaptureAnalysis& a);
// Verbose: the places of every flow; otherwise only of those that fared badly or otherwise than predicted.
std::string pcap_text(const explain::CaptureAnalysis& a, const TextOptions& options);

}  // namespace egt::render
