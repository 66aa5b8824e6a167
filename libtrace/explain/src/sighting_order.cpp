#include "sighting_order.h"

namespace egt::explain {
namespace {

using namespace engine;

// What a step has to do with a device's wire: the packet comes from it, or goes to it.
enum class StepSide { neither, from, to };

StepSide step_side(const Step& step, const Sighting& s) {
  if (const auto* enter = std::get_if<EnterBridge>(&step.kind))
    return enter->port == s.device ? StepSide::from : StepSide::neither;
  if (const auto* receive = std::get_if<ReceiveFrame>(&step.kind))
    return s.in && receive->device == s.device ? StepSide::from : StepSide::neither;
  if (const auto* leave = std::get_if<LeaveBridge>(&step.kind)) return leave->port == s.device ? StepSide::to : StepSide::neither;
  if (const auto* cross = std::get_if<CrossWire>(&step.kind))
    return cross->to_device == s.device ? StepSide::to : StepSide::neither;
  if (std::holds_alternative<Decapsulate>(step.kind)) return s.encap && s.in ? StepSide::from : StepSide::neither;
  return StepSide::neither;
}

// The last step of the node's part of the walk that begins at `from`, plus one.
std::size_t end_of_visit(const Record& record, std::size_t from, const std::string& node) {
  std::size_t i = from;
  while (i < record.steps.size() && record.steps[i].node != node) ++i;
  while (i < record.steps.size() && record.steps[i].node == node) ++i;
  return i;
}

}  // namespace

std::vector<std::size_t> sighting_order(const Record& record) {
  std::vector<std::size_t> order;
  std::size_t cursor = 0;
  for (const Sighting& s : record.sightings) {
    while (cursor < record.steps.size() && record.steps[cursor].node != s.node) ++cursor;
    const std::size_t end = end_of_visit(record, cursor, s.node);
    std::size_t place = s.in ? cursor : end;  // no step names the device: where it comes in, or goes out
    for (std::size_t i = cursor; i < end; ++i) {
      const StepSide side = step_side(record.steps[i], s);
      if (side == StepSide::neither) continue;
      place = side == StepSide::to ? i + 1 : i;
      break;
    }
    cursor = place;
    order.push_back(place);
  }
  return order;
}

}  // namespace egt::explain
