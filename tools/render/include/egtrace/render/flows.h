// Lists of flows as text, JSON (docs/schema/flows.schema.json) and CSV; as pages they are a part of render/report.h.
#pragma once

#include <cstddef>
#include <string>

#include "egtrace/explain/flows.h"
#include "egtrace/render/explain.h"

namespace egt::render {

// More are slow in any browser: of flows this many in all, fairly shared by the dumps, unless the reader chooses another number.
inline constexpr std::size_t kFlowsOnPage = 1200, kSumsOnPage = 1000;

std::string flows_text(const explain::FlowListing& listing, const explain::FlowReader& reader, const TextOptions& options);
std::string flows_json(const explain::FlowListing& listing, const cluster::Cluster& cluster, const explain::FlowReader& reader);
// One flow, or one sum, a line.
std::string flows_csv(const explain::FlowListing& listing, const explain::FlowReader& reader);

}  // namespace egt::render
