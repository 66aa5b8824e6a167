// Filters of traffic control and BPF programs on a device (tc(8), bpftool-net(8)): what no listing of netfilter shows.
#pragma once

#include <cstdint>
#include <string>

#include "egtrace/evidence/evidence.h"

namespace egt::host {

struct DeviceFilter {
  enum class Hook : std::uint8_t { ingress, egress, both };
  std::string device;
  Hook hook = Hook::both;
  std::string kind;  // "bpf", "flower", "matchall", …; "clsact", "ingress": there is room for filters; empty: a dump shows none
  Provenance from;

  bool has_room_only() const { return kind == "clsact" || kind == "ingress"; }
  bool is_at(Hook where) const { return hook == Hook::both || hook == where; }
};

}  // namespace egt::host
