// What becomes of a traced packet, in one line.
#include <fmt/format.h>

#include "egtrace/render/ofproto_trace.h"
#include "ofproto_trace_parts.h"

namespace egt::render {
namespace {

using namespace engine::ofproto;

}  // namespace

const char* error_text(XlateError e) {
  switch (e) {
    case XlateError::ok: return "OK";
    case XlateError::bridge_not_found: return "Bridge not found";
    case XlateError::recursion_too_deep: return "Recursion too deep";
    case XlateError::too_many_resubmits: return "Too many resubmits";
    case XlateError::stack_too_deep: return "Stack too deep";
    case XlateError::no_recirculation_context: return "No recirculation context";
    case XlateError::too_many_mpls_labels: return "Too many MPLS labels";
    case XlateError::invalid_tunnel_metadata: return "Invalid tunnel metadata";
    case XlateError::unsupported_packet_type: return "Unsupported packet type";
    case XlateError::congestion_drop: return "Congestion Drop";
    case XlateError::forwarding_disabled: return "Forwarding is disabled";
  }
  return "";
}

namespace {

std::string tunnel_or_port(const dp::Port& p) { return p.number ? fmt::format("{} ({})", p.name, *p.number) : p.name; }

// Where a list of datapath actions sends the packet.
void collect(const dp::Actions& actions, std::vector<std::string>& ends) {
  for (const dp::Action& a : actions) {
    if (const auto* o = std::get_if<dp::Output>(&a.kind)) ends.push_back("output " + tunnel_or_port(o->port));
    if (const auto* o = std::get_if<dp::TunnelPush>(&a.kind)) ends.push_back("tunnel to " + o->destination.to_string());
    if (const auto* o = std::get_if<dp::TunnelPop>(&a.kind)) ends.push_back("tunnel end " + tunnel_or_port(o->port));
    if (std::holds_alternative<dp::ToController>(a.kind)) ends.push_back("controller");
    if (const auto* n = std::get_if<dp::Clone>(&a.kind)) collect(n->actions, ends);
    if (const auto* n = std::get_if<dp::Sample>(&a.kind)) collect(n->actions, ends);
    if (const auto* n = std::get_if<dp::CheckLength>(&a.kind)) collect(n->greater, ends), collect(n->not_greater, ends);
  }
}

}  // namespace

std::string ofproto_trace_verdict(const Trace& trace) {
  std::vector<std::string> ends;
  const TracePass* failed = nullptr;
  for (const TracePass& pass : trace.passes) {
    if (pass.error != XlateError::ok) failed = &pass;
    collect(pass.actions, ends);
  }
  std::string out;
  for (const std::string& e : ends) (out += out.empty() ? "" : ", ") += e;
  if (out.empty()) out = failed ? fmt::format("dropped: {}", error_text(failed->error)) : "dropped";
  return out;
}

}  // namespace egt::render
