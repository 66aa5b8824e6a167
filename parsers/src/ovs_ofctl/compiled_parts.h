// What the formats of this folder keep in a compiled snapshot, so that a large dump need not be read again.
#pragma once

#include <string>
#include <vector>

#include "egtrace/cluster/cluster.h"
#include "egtrace/openflow/bridge.h"
#include "egtrace/parsers/format.h"
#include "support/binary.h"

namespace egt::parsers::ofctl {

struct CompiledPart {
  SourceId source = kNoSource;
  std::string found;  // empty where there is nothing to keep: facts of several dumps, or of none
};
CompiledPart compiled_flows(const openflow::FlowTables& tables, const SourceTable& sources);
CompiledPart compiled_groups(const openflow::GroupTable& groups);
// Those of a node's bridges; none of them is empty.
std::vector<CompiledPart> compiled_parts(const cluster::Node& node, const SourceTable& sources);

// Parts of both. Provenances keep their line; the source is that of the dump that is being read.
void write_report(BinaryWriter& out, const Report& report);
void read_report(BinaryReader& in, SourceId source, Report& report);
void write_shapes(BinaryWriter& out, const std::vector<openflow::MatchShape>& shapes);
void read_shapes(BinaryReader& in, std::vector<openflow::MatchShape>& shapes);
// What was reported of a dump's lines, without the first diagnostics, which are not about lines.
Report without_first(const Report& all, std::size_t diagnostics);
// Adds what was reported when the dump was compiled.
void take_over(const Report& from, Report& to);

}  // namespace egt::parsers::ofctl
