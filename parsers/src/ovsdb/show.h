// The indented overviews: `ovs-vsctl show` and `ovn-sbctl show` (cmd_show_row() in lib/db-ctl-base.c), `ovn-nbctl show`
// (print_ls() and print_lr() in utilities/ovn-nbctl.c).
//
// The tree is kept as a list in the order of the text; `parent` makes it a tree.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ovsdb/datum.h"
#include "support/lines.h"

namespace egt::parsers::ovsdb {

struct ShowItem {
  enum class Kind : std::uint8_t {
    uuid,       // the first line of ovs-vsctl show
    entity,     // "Bridge br-int", "Chassis \"…\"", "port NAME", "switch UUID (NAME)", "nat UUID"
    attribute,  // "type: internal"
  };
  static constexpr std::size_t kNoParent = static_cast<std::size_t>(-1);

  Kind kind = Kind::attribute;
  std::uint32_t indent = 0;  // blanks
  std::uint32_t line = 0;
  std::size_t parent = kNoParent;
  std::string word;                  // "Bridge", "switch", "type", "external ip"
  std::string uuid;                  // of kind uuid, of switches, routers and NAT rows
  Datum value;                       // name of an entity, value of an attribute
  bool plain = false;                // ovn-nbctl prints this value without quotes, whatever it holds
  std::optional<std::string> alias;  // "(aka …)"

  std::string name() const { return value.text(); }
};

enum class ShowStyle : std::uint8_t { database, northbound };

// One line; empty when it is none of them. `parent` is left to read_show().
std::optional<ShowItem> parse_show_line(const Line& line, ShowStyle style);
void print_show_line(const ShowItem& item, ShowStyle style, std::string& out);

std::vector<ShowItem> read_show(const Dump& dump, ShowStyle style, Report& report);

// The value of an attribute directly below an item; null when it has none.
const Datum* attribute(const std::vector<ShowItem>& items, std::size_t parent, std::string_view word);

}  // namespace egt::parsers::ovsdb
