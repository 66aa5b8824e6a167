// Lists of flows as text, JSON (docs/schema/flows.schema.json) and CSV.
#pragma once

#include <string>

#include "egtrace/explain/flows.h"
#include "egtrace/render/explain.h"

namespace egt::render {

std::string flows_text(const explain::FlowListing& listing, const TextOptions& options);
std::string flows_json(const explain::FlowListing& listing, const cluster::Cluster& cluster, const explain::FlowReader& reader);
// One flow, or one sum, a line.
std::string flows_csv(const explain::FlowListing& listing, const explain::FlowReader& reader);

}  // namespace egt::render
