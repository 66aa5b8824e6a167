// Why a packet may not leave the bridges of a node. The last reason counts. Those of nested tables (which often miss or drop by design)
// count only when nothing follows in the main line.
#pragma once

#include <cstdint>
#include <optional>

#include "egtrace/cluster/cluster.h"
#include "egtrace/engine/record.h"
#include "mirrors.h"

namespace egt::engine {

// No flow of a table matched.
struct MissedTable {
  const openflow::Bridge* in = nullptr;      // null: the packet ends otherwise
  std::uint64_t datapath = 0, out_port = 0;  // tunnel keys, of the integration bridge's packets
};

class PathEnd {
 public:
  PathEnd(const cluster::Node& node, Record& record) : node_(node), record_(record) {}

  // The packet is one that ovn-controller sends: where it ends says nothing of the packet that was asked about.
  void follow_reply(bool is_reply) { is_reply_ = is_reply; }
  bool is_of_reply() const { return is_reply_; }
  // `depth`: of nested tables.
  void set(Stop stop, std::uint8_t depth = 0, const MissedTable& missed = {});
  // A flow of the main line is executed: the step.
  void go_on(std::size_t step);
  void set_mirror(const ofproto::Mirror& mirror) { copied_by_ = &mirror; }

  bool is_known() const { return ending_ || weak_; }
  Stop take();

 private:
  struct Ending {
    Stop stop;
    MissedTable missed;
  };
  Stop end_of_main_line() const;

  const cluster::Node& node_;
  Record& record_;
  std::optional<Ending> ending_, weak_;
  std::optional<std::size_t> main_line_;  // the step of its last flow
  const ofproto::Mirror* copied_by_ = nullptr;
  bool is_reply_ = false;
};

}  // namespace egt::engine
