#include "phrases/events.h"

#include <fmt/format.h>

namespace egt::explain {
namespace {

using capture::EventFacts;
using capture::OvsEvent;

std::string ovs_words(const EventFacts& f) {
  switch (f.ovs) {
    case OvsEvent::upcall: return f.code == 1 ? "upcall: no datapath flow matches" : "upcall by an action";
    case OvsEvent::upcall_enqueue:
      return f.code == 0 ? "queued for ovs-vswitchd" : fmt::format("not queued for ovs-vswitchd (error {})", f.code);
    case OvsEvent::upcall_return: return f.code == 0 ? "upcall done" : fmt::format("upcall failed (error {})", f.code);
    case OvsEvent::receive_upcall: return "ovs-vswitchd receives the upcall";
    case OvsEvent::flow_operation:
      return f.action == "put" ? "ovs-vswitchd puts a datapath flow" : "ovs-vswitchd executes the packet's actions";
    case OvsEvent::look_up:
      return f.datapath_flow.empty() ? "a datapath flow matches" : fmt::format("datapath flow ufid:{} matches", f.datapath_flow);
    case OvsEvent::execute_action:
      if (f.action == "output") return fmt::format("action output to datapath port {}", f.port);
      if (f.action == "ct") return fmt::format("action ct in zone {}", f.zone);
      return fmt::format("action {}", f.action);
    case OvsEvent::none:
    case OvsEvent::other: break;
  }
  return {};
}

}  // namespace

std::string event_words(const EventFacts& f) {
  std::string words = ovs_words(f);
  const auto add = [&words](const std::string& more) { words += (words.empty() ? "" : ", ") + more; };
  if (!f.nft_chain.empty())
    add(fmt::format("nft {} {}{} {}{}", f.nft_table, f.nft_chain, f.nft_rule > 0 ? fmt::format(" handle {}", f.nft_rule) : "",
                    f.nft_verdict, f.nft_policy ? " by policy" : ""));
  if (!f.ct_state.empty()) add(fmt::format("conntrack {} in zone {}", f.ct_state, f.ct_zone));
  return words;
}

}  // namespace egt::explain
