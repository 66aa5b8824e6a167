// Where in a walk an action is executed, and what is shown of it there.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ovn/environment.h"

namespace egt::engine::logical {

using Nodes = std::vector<Node>;

struct ActionPlace {
  const LogicalDatapath& datapath;
  ovn::Pipeline pipeline;
  std::uint32_t table;
  Nodes& nodes;
  std::size_t step = 0;  // of the environment

  At at() const { return {datapath, pipeline, step}; }
  template <class What>
  void show(NodeType type, What what) const {
    nodes.push_back({type, false, std::move(what), {}});
  }
};

inline Remark remark_of(Remark::Kind kind) { return {kind, {}, {}, {}, 0, {}, nullptr}; }

// As shown: a port without a row is "(unnamed)", and no port is empty.
inline std::string port_name(const LogicalDatapath& datapath, std::uint32_t key) {
  if (const NetworkPort* p = datapath.port(key)) return p->friendly;
  return key ? "(unnamed)" : "";
}

}  // namespace egt::engine::logical
