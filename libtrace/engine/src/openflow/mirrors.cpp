#include "mirrors.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "switch.h"

namespace egt::engine::ofproto {
namespace {

constexpr std::size_t kMostMirrors = 32;  // MAX_MIRRORS

namespace vswitch = rows::vswitch;

// mirror_configure() of vswitchd/bridge.c; members of a bond but the first take no part.
class MirrorMaker {
 public:
  MirrorMaker(const SwitchSettings& settings, SwitchBridge& bridge) : bridge_(bridge) {
    for (SwitchPort* p : bridge.in_order) ports_.try_emplace(std::string(settings.row_of(*p->interface)), p);
  }
  void add(const vswitch::Mirror& row);

 private:
  SwitchPort* port(const std::string& uuid) const {
    const auto found = ports_.find(uuid);
    return uuid.empty() || found == ports_.end() ? nullptr : found->second;
  }
  void select(const std::vector<std::string>& ports, MirrorMask SwitchPort::*mask, MirrorMask bit) const {
    for (const std::string& uuid : ports)
      if (SwitchPort* p = port(uuid)) p->*mask |= bit;
  }

  SwitchBridge& bridge_;
  std::unordered_map<std::string, SwitchPort*> ports_;  // the first with each row of table Port
};

void MirrorMaker::add(const vswitch::Mirror& row) {
  if (bridge_.mirrors.size() == kMostMirrors) return;
  const std::string output = row.output_port();
  Mirror m{row, port(output), MirrorMask{1} << bridge_.mirrors.size()};
  if (m.out == nullptr && (!output.empty() || !row.output_vlan())) return;
  const MirrorMask bit = m.same_output;
  if (m.out != nullptr) m.out->mirrors_out |= bit;
  if (row.select_all().value_or(false)) {
    for (SwitchPort* p : bridge_.in_order) p->mirrors_in |= bit, p->mirrors_of |= bit;
  } else {
    select(row.select_src_port(), &SwitchPort::mirrors_in, bit);
    select(row.select_dst_port(), &SwitchPort::mirrors_of, bit);
  }
  for (Mirror& other : bridge_.mirrors) {
    if (other.out != m.out || (m.out == nullptr && other.row.output_vlan() != row.output_vlan())) continue;
    other.same_output |= bit;
    m.same_output |= other.same_output;
  }
  bridge_.mirrors.push_back(m);
}

}  // namespace

void add_mirrors(const cluster::Node& node, const SwitchSettings& settings, SwitchBridge& bridge) {
  const std::vector<std::string>& wanted = bridge.settings.mirrors;
  MirrorMaker maker(settings, bridge);
  std::size_t shown = 0;
  for (const vswitch::Mirror row : rows_of<vswitch::Mirror>(node.ovs_rows))
    if (std::find(wanted.begin(), wanted.end(), row.uuid()) != wanted.end()) ++shown, maker.add(row);
  bridge.mirrors_unknown = shown < wanted.size();
}

}  // namespace egt::engine::ofproto
