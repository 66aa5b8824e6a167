#include "egtrace/host/routing.h"

namespace egt::host {

// /etc/iproute2/rt_tables as every distribution ships it.
std::string canonical_table(std::string_view name) {
  if (name == "255") return "local";
  if (name == "254") return "main";
  if (name == "253") return "default";
  return std::string(name);
}

}  // namespace egt::host
