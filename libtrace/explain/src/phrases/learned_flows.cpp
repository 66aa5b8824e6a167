#include <fmt/format.h>

#include "egtrace/engine/network_state.h"
#include "egtrace/explain/phrases.h"

namespace egt::explain {
namespace {

std::string subfield_text(const Subfield& s) {
  const Field& f = field(s.field);
  const std::string_view name = f.nxm_name.empty() ? f.name : f.nxm_name;
  if (s == whole(s.field)) return fmt::format("{}[]", name);
  if (s.bits == 1) return fmt::format("{}[{}]", name, s.first);
  return fmt::format("{}[{}..{}]", name, s.first, s.first + s.bits - 1);
}

// Of learn actions: nothing else comes of them.
std::string action_text(const openflow::Action& action) {
  if (const auto* load = std::get_if<openflow::Load>(&action.kind))
    return fmt::format("load:{}->{}", hex(load->value, true), subfield_text(load->dest));
  return fmt::format("output:{}", std::get<openflow::Output>(action.kind).port.number);
}

}  // namespace

std::string phrase(const engine::LearnedFlow& flow) {
  std::string text = fmt::format("priority={}", flow.priority), actions;
  for (const auto& [what, value] : flow.conditions) text += fmt::format(",{}={}", subfield_text(what), hex(value));
  for (const openflow::Action& a : flow.actions) actions += (actions.empty() ? "" : ",") + action_text(a);
  return text + " actions=" + (actions.empty() ? "drop" : actions);
}

}  // namespace egt::explain
