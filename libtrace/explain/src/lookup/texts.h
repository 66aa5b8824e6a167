// Values of several parts as one text.
#pragma once

#include <string>
#include <vector>

#include "egtrace/base/ip.h"

namespace egt::explain {

template <class T, class F>
std::string joined(const T& all, F text) {
  std::string out;
  for (const auto& one : all) out += (out.empty() ? "" : ", ") + text(one);
  return out;
}

inline std::string addresses_text(const std::vector<IpAddr>& all) {
  return joined(all, [](const IpAddr& a) { return a.to_string(); });
}

inline std::string prefixes_text(const std::vector<Prefix>& all) {
  return joined(all, [](const Prefix& p) { return p.to_short_string(); });
}

}  // namespace egt::explain
