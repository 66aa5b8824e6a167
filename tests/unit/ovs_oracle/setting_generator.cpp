#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "generator.h"

namespace egt::testing {
namespace {

// Tags of packets are 4 to 7.
std::string random_vlan(Dice& dice) {
  static const char* const kVlans[] = {"0", "4", "5", "5", "6", "7", "10"};
  return dice.of(kVlans);
}

std::string random_vlans(Dice& dice) {
  std::set<std::string> all;
  for (unsigned i = dice.between(1, 3); i > 0; --i) all.insert(random_vlan(dice));
  return fmt::format("{}", fmt::join(all, ","));
}

std::vector<std::string> vlans_of_port(Dice& dice) {
  static const char* const kModes[] = {"", "access", "trunk", "native-tagged", "native-untagged", "dot1q-tunnel"};
  const std::string mode = dice.of(kModes);
  std::vector<std::string> words;
  if (!mode.empty()) words.push_back("vlan_mode=" + mode);
  // A mode may lack its tag, and have what is of other modes.
  if (dice.one_in(8) ? mode == "trunk" : mode != "trunk" && !(mode.empty() && dice.one_in(2)))
    words.push_back("tag=" + random_vlan(dice));
  if (mode == "access" ? dice.one_in(8) : dice.one_in(2)) words.push_back("trunks=" + random_vlans(dice));
  if (mode == "dot1q-tunnel" ? dice.one_in(2) : dice.one_in(16)) words.push_back("cvlans=" + random_vlans(dice));
  if (mode == "dot1q-tunnel" && dice.one_in(2))
    words.emplace_back(dice.one_in(2) ? "other_config:qinq-ethtype=802.1q" : "other_config:qinq-ethtype=802.1ad");
  return words;
}

DatabaseSetting random_port(Dice& dice, const char* port) {
  static const char* const kTags[] = {"true", "false", "never", "if-nonzero", "always"};
  DatabaseSetting set{"port", port, vlans_of_port(dice)};
  if (dice.one_in(4)) set.words.push_back(fmt::format("other_config:priority-tags={}", dice.of(kTags)));
  if (dice.one_in(4)) set.words.emplace_back("protected=true");
  return set;
}

}  // namespace

std::vector<DatabaseSetting> random_settings(Dice& dice) {
  static const char* const kPorts[] = {"p1", "p2",        "9eth",     "p-4.x",     "q1",    "q2",     "q3",     "r1",
                                       "r2", "patch-int", "patch-ex", "patch-exb", "br-ex", "br-int", "patch-b"};
  static const char* const kBridges[] = {"br-int", "br-ex", "br-b"};
  std::vector<DatabaseSetting> all;
  if (dice.one_in(2)) return all;
  for (const char* port : kPorts)
    if (dice.one_in(3)) all.push_back(random_port(dice, port));
  for (const char* bridge : kBridges) {
    DatabaseSetting set{"bridge", bridge, {}};
    if (dice.one_in(4)) set.words.push_back("flood_vlans=" + random_vlans(dice));
    if (dice.one_in(4)) set.words.push_back(fmt::format("other_config:forward-bpdu={}", dice.one_in(3) ? "false" : "true"));
    if (!set.words.empty()) all.push_back(std::move(set));
  }
  std::erase_if(all, [](const DatabaseSetting& s) { return s.words.empty(); });
  return all;
}

}  // namespace egt::testing
