// Groups and meters of a bridge (ovs-ofctl dump-groups, dump-meters).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "egtrace/evidence/evidence.h"
#include "egtrace/openflow/action.h"

namespace egt::openflow {

struct Bucket {
  std::optional<std::uint32_t> id;  // absent in OpenFlow 1.1 to 1.4
  std::optional<std::uint16_t> weight;
  std::optional<Port> watch_port;
  std::optional<std::uint32_t> watch_group;
  ActionList actions;
  std::string actions_text;
};

struct Group {
  enum class Type : std::uint8_t { all, select, indirect, fast_failover };
  std::uint32_t id = 0;
  Type type = Type::all;
  std::string selection_method;  // "", "hash", "dp_hash"
  std::optional<std::uint64_t> selection_param;
  std::string fields;  // as printed, without "fields"
  std::vector<Bucket> buckets;
  Provenance from;
};

}  // namespace egt::openflow
