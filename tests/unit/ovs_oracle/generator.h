// Random flow tables and groups, and random packets for them. Everything is text as ovs-ofctl and ofproto/trace take it;
// values come from small pools, so that packets meet flows.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace egt::testing {

class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  unsigned below(unsigned n) { return static_cast<unsigned>(engine_() % n); }
  unsigned between(unsigned a, unsigned b) { return a + below(b - a + 1); }
  bool one_in(unsigned n) { return below(n) == 0; }
  template <class All>
  const auto& of(const All& all) {
    return all[below(static_cast<unsigned>(std::size(all)))];
  }

 private:
  std::mt19937 engine_;
};

// What a packet is, as far as fields and actions depend on it. A bit is a prerequisite.
namespace kind {
constexpr unsigned any = 0, ip4 = 1, ip6 = 2, tcp = 4, udp = 8, sctp = 16, icmp4 = 32, icmp6 = 64, nd = 128, arp = 256,
                   mpls = 512, vlan = 1024, ip = 2048,   // of either version
                   tracked = 4096;
}
struct Protocol {
  const char* words;   // of a match
  unsigned kinds;
};
const Protocol& random_protocol(Dice& dice, bool like_ovn);

struct FieldPool {
  const char* name;
  unsigned needs;
  std::vector<const char*> values, masked;
  bool in_packets = true, settable = true;
};
const std::vector<FieldPool>& field_pools();
inline bool has_kinds(unsigned kinds, unsigned needs) { return (kinds & needs) == needs; }

struct GeneratedFlow {
  std::string bridge, match;   // table, priority, fields
  std::vector<std::string> actions;
};
struct GeneratedGroup {
  std::string bridge, head;
  std::vector<std::string> buckets;
};
struct Configuration {
  std::vector<GeneratedFlow> flows;
  std::vector<GeneratedGroup> groups;
  std::vector<std::string> ct_next;
  bool old_dialect = false;   // dumped as OpenFlow 1.0 tells it
};

std::string text_of(const GeneratedFlow& flow);
std::string text_of(const GeneratedGroup& group);

std::string random_match(Dice& dice, const Protocol& protocol, bool like_ovn);
std::string random_packet(Dice& dice, const std::string& bridge);

struct ActionPlace {
  const std::string& bridge;
  unsigned table;
  bool like_ovn, old_dialect, in_group;
};
std::vector<std::string> random_actions(Dice& dice, const ActionPlace& place, unsigned kinds);

Configuration random_configuration(Dice& dice);

}  // namespace egt::testing
