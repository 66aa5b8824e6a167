// Lines of `ipset save` ("create NAME TYPE …", "add NAME MEMBER …") and of `ipset list` ("Name: …", members), ipset(8).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/host/ipset.h"

namespace egt::parsers::system {

struct IpsetOption {
  std::string_view name, value;
  bool has_value = false, quoted = false;  // quoted: a comment
};

struct IpsetLine {
  enum class Kind : std::uint8_t {
    blank,
    create,   // of save
    add,      // of save
    heading,  // "Name: x", "Size in memory: 408" of list
    member,   // of list
    unknown,
  };
  Kind kind = Kind::unknown;
  std::string_view set, type;   // create, add: the set; create: its type
  std::string_view key, value;  // heading
  std::string_view element;     // add, member: "10.0.0.1,tcp:80"
  std::vector<IpsetOption> options;
  std::string problem;  // unknown: why
};

IpsetLine parse_ipset_line(std::string_view text);
void print_ipset_line(const IpsetLine& line, std::string& out);  // nothing for blank and unknown lines

// An empty set of this type with these options of "create"; empty for types and options that are not known.
std::optional<host::IpSet> ipset_of(std::string_view type, const std::vector<IpsetOption>& options);
// A member of such a set; for a list, of which `element` is the name of a set, nothing.
std::optional<host::IpSetMember> ipset_member(const host::IpSet& set, std::string_view element,
                                              const std::vector<IpsetOption>& options);

}  // namespace egt::parsers::system
