// The tree of iptables text as JSON: tables with their chains and rules, every option typed.
#pragma once

#include <string>

#include "iptables/document.h"
#include "iptables/tree.h"

namespace egt::parsers::iptables {

std::string to_json_text(const Document& document, const Traits& traits);

}  // namespace egt::parsers::iptables
