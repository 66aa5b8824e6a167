// Routes and rules of a host as text in which the same meaning is the same text.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/host/netfilter.h"
#include "egtrace/host/routing.h"

namespace egt::assess {

// name(one) of all, sorted, with blanks between.
template <class All, class Name>
std::string joined(const All& all, Name name) {
  std::vector<std::string> texts;
  for (const auto& one : all) texts.push_back(name(one));
  std::sort(texts.begin(), texts.end());
  return fmt::format("{}", fmt::join(texts, " "));
}

// Type, next hops, source and metric; not where it leads to.
std::string route_text(const host::Route& route);
std::string rule_text(const host::PolicyRule& rule);  // without its priority
// A line of iptables or nft without counters and handles: "[12:720] " in front, "counter packets 5 bytes 300",
// "# handle 7".
std::string without_counters(std::string_view line);
std::string_view family_name(netfilter::TableFamily family);

}  // namespace egt::assess
