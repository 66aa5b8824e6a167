// Terms of a match: from text to the typed tree, to words of a Match, and back.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "egtrace/openflow/match.h"
#include "egtrace/parsers/ovs_ofctl.h"

namespace egt::parsers::ofctl {

// What a word at the place of a key means.
struct KeyInfo {
  enum class Kind : std::uint8_t { unknown, field, protocol, stat, flag, priority, actions };
  Kind kind = Kind::unknown;
  FieldId field = FieldId::count_;
  FlowStat::Kind stat = FlowStat::Kind::flag;
  std::uint16_t ethertype = 0;  // of a protocol word; 0: none ("eth")
  std::uint8_t ip_proto = 0;
  bool has_ip_proto = false;
};
const KeyInfo& key_info(std::string_view word);

// Reads `text` (behind '=') as the value of item.field into the item. False, with `why`, when it is none.
bool read_match_value(std::string_view text, MatchItem& item, const char*& why);
void write_match_item(const MatchItem& item, std::string& out);

// Words of a match while a line is read: no allocation.
class WordSet {
 public:
  void clear() { n_ = 0; }
  // False when it conflicts with what is there.
  bool add(std::uint8_t word, std::uint64_t value, std::uint64_t mask);
  bool add(FieldId f, U128 value, U128 mask);
  openflow::MatchView view() const { return {words_.data(), n_}; }

 private:
  std::array<openflow::MatchWord, kFlowKeyWords> words_;
  std::size_t n_ = 0;
};

// Fields of which the switch takes the value for the mask, too (match_set_tun_erspan_ver_masked() and those beside it).
bool value_is_mask(FieldId id);

enum class Added : std::uint8_t { yes, inconsistency, inexpressible };
// What an item requires. `inexpressible`: a port name that `ports` does not know, presence of a tunnel option.
Added add_item(const MatchItem& item, WordSet& words, const PortResolver& ports);

}  // namespace egt::parsers::ofctl
