#include "learned_flow.h"

#include "packet_fields.h"

namespace egt::engine {
namespace {

using namespace openflow;
using Kind = LearnSpec::Kind;

U128 value_of(const LearnSpec& s, const FlowKey& packet) {
  const auto* source = std::get_if<Subfield>(&s.source);
  return source ? ofproto::read(packet, *source) : std::get<U128>(s.source);
}

// Others are left out of what is learned.
bool is_output_port(U128 number) {
  return number < port::max || number == port::in_port || number == port::flood || number == port::local || number == port::all;
}

}  // namespace

LearnedFlow learned_flow(const Learn& learn, const FlowKey& packet) {
  LearnedFlow flow;
  flow.table = learn.table;
  flow.priority = learn.priority;
  flow.cookie = learn.cookie.value_or(0);
  flow.idle_timeout = learn.idle_timeout.value_or(0);
  flow.hard_timeout = learn.hard_timeout.value_or(0);
  flow.send_flow_rem = learn.send_flow_rem;
  if (learn.fin_idle_timeout || learn.fin_hard_timeout)
    flow.actions.push_back({FinTimeout{learn.fin_idle_timeout, learn.fin_hard_timeout}});
  for (const LearnSpec& s : learn.specs) {
    const U128 value = value_of(s, packet);
    if (s.kind == Kind::match) {
      flow.match.require(s.dest, value);
      flow.conditions.emplace_back(s.dest, value);
    }
    if (s.kind == Kind::load) flow.actions.push_back({Load{value, s.dest}});
    if (s.kind == Kind::output && is_output_port(value))
      flow.actions.push_back({Output{{static_cast<std::uint32_t>(value), ""}}});
  }
  return flow;
}

}  // namespace egt::engine
