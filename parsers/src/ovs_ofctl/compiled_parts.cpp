#include "ovs_ofctl/compiled_parts.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace egt::parsers::ofctl {

std::vector<CompiledPart> compiled_parts(const cluster::Node& node, const SourceTable& sources) {
  std::vector<CompiledPart> parts;
  for (const openflow::Bridge& bridge : node.bridges) {
    if (bridge.flows) parts.push_back(compiled_flows(*bridge.flows, sources));
    parts.push_back(compiled_groups(bridge.groups));
  }
  std::erase_if(parts, [](const CompiledPart& part) { return part.found.empty(); });
  return parts;
}

void write_report(BinaryWriter& out, const Report& r) {
  for (const std::uint32_t n : {r.lines, r.understood, r.ignored}) out.number(n);
  std::vector<std::uint32_t> lines;
  for (const Provenance& p : r.not_understood) lines.push_back(p.line);
  out.array(std::span<const std::uint32_t>(lines));
  out.number<std::uint64_t>(r.diagnostics.size());
  for (const Diagnostic& d : r.diagnostics) {
    out.number<std::uint8_t>(static_cast<std::uint8_t>(d.severity));
    out.number(d.at.line);
    out.number(d.column);
    out.text(d.message);
    out.text(d.hint);
  }
}

void read_report(BinaryReader& in, SourceId source, Report& r) {
  for (std::uint32_t* n : {&r.lines, &r.understood, &r.ignored}) *n = in.number<std::uint32_t>();
  for (const std::uint32_t line : in.array<std::uint32_t>()) r.not_understood.push_back({source, line});
  for (std::uint64_t n = in.count(25); n > 0; --n) {
    Diagnostic d;
    const auto severity = in.number<std::uint8_t>();
    if (severity > static_cast<std::uint8_t>(Diagnostic::Severity::error)) throw std::runtime_error("no such severity");
    d.severity = static_cast<Diagnostic::Severity>(severity);
    d.at = {source, in.number<std::uint32_t>()};
    d.column = in.number<std::uint32_t>();
    d.message = in.text();
    d.hint = in.text();
    r.diagnostics.push_back(std::move(d));
  }
}

void write_shapes(BinaryWriter& out, const std::vector<openflow::MatchShape>& shapes) {
  out.number<std::uint64_t>(shapes.size());
  for (const openflow::MatchShape& shape : shapes) {
    out.number<std::uint64_t>(shape.size());
    for (const openflow::MaskWord& w : shape) {
      out.number(w.word);
      out.number(w.mask);
    }
  }
}

void read_shapes(BinaryReader& in, std::vector<openflow::MatchShape>& shapes) {
  for (std::uint64_t n = in.count(8); n > 0; --n) {
    openflow::MatchShape& shape = shapes.emplace_back();
    for (std::uint64_t words = in.count(9); words > 0; --words) {
      openflow::MaskWord w;
      w.word = in.number<std::uint8_t>();
      w.mask = in.number<std::uint64_t>();
      const bool ascending = shape.empty() || shape.back().word < w.word;
      if (w.word >= kFlowKeyWords || !ascending) throw std::runtime_error("no shape of a match");
      shape.push_back(w);
    }
  }
}

Report without_first(const Report& all, std::size_t diagnostics) {
  Report r = all;
  r.diagnostics.erase(r.diagnostics.begin(),
                      r.diagnostics.begin() + static_cast<std::ptrdiff_t>(std::min(diagnostics, r.diagnostics.size())));
  return r;
}

void take_over(const Report& from, Report& to) {
  to.lines += from.lines;
  to.understood += from.understood;
  to.ignored += from.ignored;
  to.not_understood.insert(to.not_understood.end(), from.not_understood.begin(), from.not_understood.end());
  to.diagnostics.insert(to.diagnostics.end(), from.diagnostics.begin(), from.diagnostics.end());
}

}  // namespace egt::parsers::ofctl
