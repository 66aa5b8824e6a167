// What a word that was copied out of a dump may mean.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/base/ip.h"
#include "egtrace/base/mac.h"
#include "egtrace/cluster/objects.h"
#include "lookup/object_kinds.h"

namespace egt::explain {

struct LookupTerm {
  std::string text;                // without what only says its kind: "EgressIP/", "svc:", "$", "@", "cookie="
  std::string whole;               // with it: a namespace may have the name of a kind
  std::optional<ObjectKind> kind;  // of a Kubernetes object, where one was given
  std::string field;               // "cookie", "metadata", "reg15", "zone", "ofport", …; empty where none was given
  std::optional<IpAddr> address;
  std::optional<std::uint16_t> port;  // behind the address: 172.30.0.1:80, [fd00::1]:80
  std::optional<MacAddr> mac;
  std::optional<std::uint64_t> number;  // decimal, or hexadecimal behind 0x
  std::string uuid;                     // lower case digits and dashes of a UUID's beginning, at least six of them
  std::string dump_text;                // the address, with the port where one was given, else the MAC, as OVN writes them

  // Whether a number may be read as this field: it was given as that, or without any.
  bool may_be(std::string_view wanted) const { return field.empty() || field == wanted; }
  bool is_number(std::string_view wanted, std::optional<std::uint64_t> n) const { return n && number == n && may_be(wanted); }
  // The number, as a port.
  std::optional<std::uint16_t> as_port() const;
  bool is_one_of(const std::vector<IpAddr>& addresses) const;
  bool is_one_of(const std::vector<Prefix>& prefixes) const;
  // The port is one of these, or it has none.
  template <class Port>
  bool has_port(const std::vector<Port>& ports) const {
    return !port || std::any_of(ports.begin(), ports.end(), [&](const Port& p) { return p.port == *port; });
  }
  // By the kind that was given, and where a namespace has the name of a kind, by its namespace.
  bool is_name_of(ObjectKind of, const cluster::Object& object) const;
};

// `name_space` completes the name of an object that has none.
LookupTerm read_term(std::string_view text, std::string_view name_space = {});

// Whether a text holds a word, with nothing at its ends that would make it another one: 10.0.0.1 is in "10.0.0.1:80" and
// not in "110.0.0.12".
bool mentions(std::string_view text, std::string_view word);

}  // namespace egt::explain
