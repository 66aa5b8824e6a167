// Ports within actions, as the switch shows them: by number, or by name where the call asked for names.
#pragma once

#include <functional>
#include <string>

#include "egtrace/openflow/action.h"
#include "egtrace/openflow/bridge.h"

namespace egt::render {

// How ports of one bridge are shown, whatever the dump printed.
struct PortStyle {
  const openflow::Bridge* bridge = nullptr;
  bool names = false;
  const std::function<std::string(const openflow::Port&)>& text;

  openflow::Port operator()(const openflow::Port& p) const;
};

// Whether the action, or one within it, names a port.
bool says_ports(const openflow::Action& a);
openflow::Action with_ports(const openflow::Action& a, const PortStyle& style);

}  // namespace egt::render
