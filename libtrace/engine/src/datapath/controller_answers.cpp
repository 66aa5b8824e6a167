#include "datapath/controller_answers.h"

#include <string>
#include <utility>
#include <vector>

#include "ovn_controller/address_on_link.h"
#include "ovn_controller/packet_in.h"

namespace egt::engine {
namespace {

Upcall sent_by_controller(const HandedPacket& because, const FlowKey& key, const openflow::ActionList& actions) {
  Upcall sent;
  sent.packet.key = key;
  sent.packet_out = &actions;
  sent.bridge = &because.bridge;
  sent.step = because.origin;
  return sent;
}

}  // namespace

std::optional<Upcall> ControllerAnswers::answer(const HandedPacket& packet, bool pauses) {
  const cluster::Node& node = recorder_.node();
  const Reaction reaction = reaction_to(packet.data.opcode, pauses);
  const bool waits = reaction == Reaction::refuses || reaction == Reaction::resolves || reaction == Reaction::answers;
  if (const auto& controller = node.ovn.controller; waits && controller && !controller->reached)
    recorder_.assume({Supposition::ovn_controller_runs, {node.name}, {}, {controller->from}});
  switch (reaction) {
    case Reaction::refuses:
      if (!packet.is_reply) return refuse(packet);
      recorder_.remark_at(packet.origin, Notice::answer_refused);
      break;
    case Reaction::resolves:
      if (!packet.is_reply) return resolve(packet);
      recorder_.remark_at(packet.origin, Notice::answer_waits);
      break;
    case Reaction::answers: return advertise(packet);
    case Reaction::holds:
      recorder_.set_undecided();
      recorder_.end_at(packet.origin, {Reason::ovn_controller_handles, {std::string(opcode_name(packet.data.opcode))}});
      break;
    case Reaction::consumes:
      recorder_.end_at(packet.origin, {Reason::ovn_controller_consumes, {recorder_.controller_of(packet.origin)}});
      break;
    case Reaction::notes: break;
  }
  return std::nullopt;
}

std::optional<Upcall> ControllerAnswers::refuse(const HandedPacket& packet) {
  const Userdata& data = packet.data;
  const auto answer = refusal_of(packet.key, data.opcode, sets_fragment_mtu(data.nested));
  if (!answer) {
    recorder_.remark_at(packet.origin, Notice::not_answered);
    recorder_.end_at(packet.origin, {Reason::ovn_controller_drops});
    return std::nullopt;
  }
  const std::string with = refusal_name(translator_.after_field_actions(*answer, data.nested, packet.bridge));
  recorder_.refused(packet.origin, with);
  Upcall sent = sent_by_controller(packet, *answer, data.nested);
  if (with.starts_with("icmp")) sent.packet.quoted = tuple_of(packet.key);
  sent.reject_with = with;
  return sent;
}

std::optional<Upcall> ControllerAnswers::advertise(const HandedPacket& packet) {
  if (const auto answer = advertisement_of(packet.key)) return sent_by_controller(packet, *answer, packet.data.nested);
  recorder_.end_at(packet.origin, {Reason::ovn_controller_consumes, {recorder_.controller_of(packet.origin)}});
  return std::nullopt;
}

std::optional<MacAddr> ControllerAnswers::mac_on_link(const IpAddr& address, std::size_t origin) {
  if (neighbours_ == nullptr) return std::nullopt;
  auto found = address_on_link(recorder_.node(), *neighbours_, address);
  if (!found) return std::nullopt;
  std::vector<Provenance> lines = recorder_.evidence_of(origin);
  auto& evidence = found->assumption.evidence;
  evidence.insert(evidence.begin(), lines.begin(), lines.end());
  recorder_.assume(std::move(found->assumption));
  return found->mac;
}

// The table of the flow behind the message to ovn-controller.
std::optional<std::uint8_t> ControllerAnswers::table_that_asked(std::size_t origin) const {
  for (std::size_t i = origin + 1; i-- > 0;)
    if (const auto* match = std::get_if<TableMatch>(&recorder_.record().steps[i].kind)) return match->table;
  return std::nullopt;
}

// ovn-controller holds the packet back until the answer comes, then sends it on with the MAC: behind the table that asked.
std::optional<Upcall> ControllerAnswers::resolve(const HandedPacket& packet) {
  const cluster::Node& node = recorder_.node();
  const FlowKey request = address_request(packet.key, packet.data.opcode == opcode::arp);
  const IpAddr address = requested_address(translator_.after_field_actions(request, packet.data.nested, packet.bridge));
  if (const auto table = table_that_asked(packet.origin))
    if (const auto mac = mac_on_link(address, packet.origin)) {
      Upcall sent = sent_by_controller(packet, packet.key, session_.resubmit_to(*table));
      sent.packet.key.set(FieldId::eth_dst, mac->value);
      return sent;
    }
  if (const ovn::LogicalPort* port = port_without_answer(node, address)) {
    recorder_.assume({Supposition::ports_of_switch_shown, {port->datapath, node.name}, {}, {port->from}});
    recorder_.end_at(packet.origin, {Reason::address_on_no_port, {address, port->datapath}});
    return std::nullopt;
  }
  recorder_.set_undecided();
  recorder_.gap(Input::mac_binding, {address});
  recorder_.end_at(packet.origin, {Reason::mac_binding_missing, {address}});
  return std::nullopt;
}

}  // namespace egt::engine
