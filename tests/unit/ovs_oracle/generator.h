// Random flow tables, groups and switches, and random packets for them, from the grammar of ovs-actions(7) and
// ovs-fields(7). Everything is text as ovs-ofctl and ofproto/trace take it; values come from small pools, so that packets
// meet flows. Not there: debug_recirc and debug_slow, with which ovs-ofctl reads no dump.
#pragma once

#include <string>
#include <vector>

#include "dice.h"
#include "egtrace/packet/flow_key.h"
#include "fields.h"

namespace egt::testing {

struct Protocol {
  const char* words;         // of a match
  const char* packet_words;  // of a packet
  unsigned kinds;
  std::vector<std::pair<FieldId, unsigned>> fields;  // that the words stand for
};
// The protocols of one configuration, so that tables one behind another have flows for the same packets.
using Protocols = std::vector<const Protocol*>;
Protocols random_protocols(Dice& dice, bool like_ovn);

struct Term {
  const FieldSpec* field = nullptr;
  Value value;
  Masking masking = Masking::none;
};
struct GeneratedMatch {
  const Protocol* protocol = nullptr;
  std::vector<Term> terms;
  std::string text() const;
  unsigned kinds() const;
};
GeneratedMatch random_match(Dice& dice, const Protocol& protocol, unsigned tlv_map);
// One field, of a protocol that has it.
GeneratedMatch match_of(Dice& dice, const FieldSpec& f);

struct GeneratedFlow {
  std::string bridge, head;  // table, priority
  GeneratedMatch match;
  std::string more_match;  // of conjunctions
  std::vector<std::string> actions;
  unsigned cookie = 0;       // its number in the configuration; 0: it has none
  bool about_field = false;  // one field is its subject
};
struct GeneratedGroup {
  std::string bridge, head;
  std::vector<std::string> buckets;
};
struct PortConfig {
  std::string bridge, port, flag;
};
// What a row of table Port or Bridge says of VLANs, and what else NORMAL asks of it: `ovs-vsctl set TABLE NAME` and these words.
struct DatabaseSetting {
  std::string table, name;
  std::vector<std::string> words;
  friend bool operator==(const DatabaseSetting&, const DatabaseSetting&) = default;
};
// How the dumps are taken and how the trace is asked for.
struct Dialect {
  std::string protocol = "OpenFlow15";  // of dump-flows
  std::string dump_names;               // "--names", "--no-names" or neither
  std::string trace_names;              // of the call
};
struct Configuration {
  Protocols protocols;
  std::vector<GeneratedFlow> flows;
  std::vector<GeneratedGroup> groups;
  std::vector<PortConfig> ports;
  std::vector<DatabaseSetting> settings;                       // each row once
  std::vector<std::pair<std::string, std::string>> fragments;  // bridge, mode
  std::vector<std::string> ct_next;
  unsigned tlv_map = 0;  // of tlv_maps()
  Dialect dialect;
};

std::string text_of(const GeneratedFlow& flow);
std::string text_of(const GeneratedGroup& group);

// Of about half of all configurations, from ovs-vswitchd.conf.db(5).
std::vector<DatabaseSetting> random_settings(Dice& dice);

// As ovs-ofctl add-tlv-map takes them.
const std::vector<const char*>& tlv_maps();

// A packet that one of the flows asks for, or any: as text of a flow of the bridge, or of the datapath.
std::string random_packet(Dice& dice, const Configuration& c, const std::string& bridge);

struct ActionPlace {
  const std::string& bridge;
  unsigned table;
  bool like_ovn;
  const std::string& protocol;  // of the dump: what it cannot show is left out
  bool in_group;
  unsigned tlv_map = kUsualTlvMap;
};
std::vector<std::string> random_actions(Dice& dice, const ActionPlace& place, unsigned kinds);
std::vector<std::string> actions_about(Dice& dice, const ActionPlace& place, unsigned kinds, const FieldSpec& f);
// What only a flow of a table may hold, in the order of the specification.
void add_instructions(Dice& dice, std::vector<std::string>& actions, const ActionPlace& place, unsigned kinds);

constexpr unsigned kGeneratedTables = 8, kGeneratedGroups = 8;
Configuration random_configuration(Dice& dice);

}  // namespace egt::testing
