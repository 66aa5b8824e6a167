#include "kernel_events/retis_facts.h"

#include <fmt/format.h>

namespace egt::parsers::kernel_events {
namespace {

using capture::EventFacts;
using capture::KernelEvent;
using capture::OvsEvent;

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t h = (a ^ b * 0x9e3779b97f4a7c15ULL) * 0xbf58476d1ce4e5b9ULL;
  return (h ^ h >> 29) | 1;
}

OvsEvent ovs_event(std::string_view type) {
  struct Name {
    std::string_view name;
    OvsEvent kind;
  };
  static constexpr Name kNames[] = {{"action_execute", OvsEvent::execute_action},
                                    {"upcall", OvsEvent::upcall},
                                    {"upcall_enqueue", OvsEvent::upcall_enqueue},
                                    {"upcall_return", OvsEvent::upcall_return},
                                    {"recv_upcall", OvsEvent::receive_upcall},
                                    {"flow_operation", OvsEvent::flow_operation},
                                    {"flow_lookup", OvsEvent::look_up}};
  for (const Name& n : kNames)
    if (n.name == type) return n.kind;
  return OvsEvent::other;
}

void set_probe(std::string_view type, EventFacts& facts) {
  if (type == "raw_tracepoint") facts.probe = capture::Probe::tracepoint;
  if (type == "kretprobe") facts.probe = capture::Probe::function_return;
}

std::string read_ufid(JsonLine& json) {
  if (json.next() == '"') return std::string(json.string());
  std::uint32_t part[4] = {};
  std::size_t i = 0;
  json.array([&] {
    const auto value = static_cast<std::uint32_t>(json.number());
    if (i < std::size(part)) part[i++] = value;
  });
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:04x}{:08x}", part[0], part[1] >> 16, part[1] & 0xffff, part[2] >> 16,
                     part[2] & 0xffff, part[3]);
}

}  // namespace

void read_probe(JsonLine& json, bool user, EventFacts& facts) {
  json.object([&](std::string_view k) {
    if (k == "symbol")
      facts.symbol = json.string();
    else if (k == "probe_type")
      set_probe(json.string(), facts);
    else
      json.skip();
  });
  if (user) facts.probe = capture::Probe::user;
}

std::uint64_t read_tracking(JsonLine& json) {
  std::uint64_t head = 0, time = 0;
  json.object([&](std::string_view k) {
    if (k == "orig_head")
      head = json.number();
    else if (k == "timestamp")
      time = json.number();
    else
      json.skip();
  });
  return head == 0 ? 0 : mix(head, time);
}

void read_ovs(JsonLine& json, KernelEvent& e) {
  EventFacts& f = e.facts;
  json.object([&](std::string_view k) {
    if (k == "event_type")
      f.ovs = ovs_event(json.string());
    else if (k == "action" || k == "op_type")
      f.action = json.string();
    else if (k == "port")
      f.port = static_cast<std::uint32_t>(json.number());
    else if (k == "zone_id")
      f.zone = static_cast<std::uint16_t>(json.number());
    else if (k == "cmd" || k == "ret" || k == "reason")
      f.code = static_cast<std::int64_t>(json.number());
    else if (k == "queue_id")
      e.queue = static_cast<std::uint32_t>(json.number());
    else if (k == "ufid")
      f.datapath_flow = read_ufid(json);
    else if (k == "ofpflows")
      json.array([&] { f.openflow_flows.emplace_back(json.string()); });
    else
      json.skip();
  });
  if (f.ovs == OvsEvent::none) f.ovs = OvsEvent::look_up;                          // ovs-detrace: of the flow that was looked up
  if (f.ovs == OvsEvent::upcall || f.ovs == OvsEvent::upcall_enqueue) f.port = 0;  // of netlink, of no bridge
}

void read_conntrack(JsonLine& json, EventFacts& facts) {
  json.object([&](std::string_view k) {
    if (k == "state")
      facts.ct_state = json.string();
    else if (k == "zone_id")
      facts.ct_zone = static_cast<std::uint16_t>(json.number());
    else
      json.skip();
  });
}

void read_nft(JsonLine& json, EventFacts& f) {
  json.object([&](std::string_view k) {
    if (k == "table_name")
      f.nft_table = json.string();
    else if (k == "chain_name")
      f.nft_chain = json.string();
    else if (k == "verdict")
      f.nft_verdict = json.string();
    else if (k == "rule_handle")
      f.nft_rule = static_cast<std::int64_t>(json.number());
    else if (k == "policy")
      f.nft_policy = json.boolean();
    else
      json.skip();
  });
}

void read_drop(JsonLine& json, EventFacts& facts) {
  facts.drop = true;
  json.object([&](std::string_view k) {
    if (k == "drop_reason")
      facts.drop_reason = json.string();
    else if (k == "subsys")
      json.next() == 'n' ? json.skip() : void(facts.drop_subsystem = json.string());
    else
      json.skip();
  });
}

}  // namespace egt::parsers::kernel_events
