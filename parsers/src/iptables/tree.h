// The typed tree of iptables text: what iptables-save, iptables -S and iptables -L print, one item a line.
//
// Options of matches and targets are typed by the table in schema.h; a module or option that is not in it keeps its
// argument words, so that printing is exact and lowering can report what it did not understand. See iptables(8),
// iptables-extensions(8), iptables-save(8).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "egtrace/base/ip.h"
#include "egtrace/base/mac.h"

namespace egt::parsers::iptables {

// One argument as it stood; `quoted`: in double quotes.
struct Word {
  std::string text;
  bool quoted = false;
};

struct Range {
  std::uint64_t first = 0, last = 0;
};  // inclusive
struct PortList {
  std::vector<Range> ranges;
};
struct MaskedNumber {
  std::uint64_t value = 0, mask = 0;
};
// An address under a mask, which need not be a prefix.
struct Network {
  IpAddr address;
  U128 mask = 0;
};
struct WordList {
  std::vector<std::string> words;
};
struct TcpFlags {
  std::uint8_t mask = 0, set = 0;
};  // FIN 1, SYN 2, RST 4, PSH 8, ACK 16, URG 32
struct IcmpType {
  bool any = false;
  std::uint8_t type = 0;
  std::optional<Range> code;
};
// "1.2.3.4-1.2.3.9:10-20/15"; `base`: behind the slash, where the mapped range begins.
struct NatAddress {
  std::optional<IpRange> address;
  std::optional<Range> ports;
  std::optional<std::uint16_t> base;
};
struct Words {
  std::vector<Word> words;
};  // several arguments without a type of their own

using Value = std::variant<std::monostate, Word, std::uint64_t, Range, PortList, MaskedNumber, Network, IpRange, MacAddr,
                           WordList, TcpFlags, IcmpType, NatAddress, Words>;

struct OptionSpec;

struct Option {
  const OptionSpec* spec = nullptr;  // null: not known, the value is Words
  std::string name;                  // "--dport"
  bool negate = false;
  Value value;
};

struct Match {
  std::string module;
  bool known = false;  // the module is in the schema
  std::vector<Option> options;
};

struct Target {
  std::string name;    // "ACCEPT", "SNAT", or a chain
  bool go_to = false;  // -g
  bool known = false;  // an extension of the schema or a standard verdict; otherwise perhaps a chain
  std::vector<Option> options;
};

struct Counters {
  std::uint64_t packets = 0, bytes = 0;
};

template <class T>
struct Selector {
  T value;
  bool negate = false;
};

struct Rule {
  std::string table;  // of an explicit -t, usually empty
  std::string chain;
  std::optional<Counters> counters;
  bool counters_inside = false;  // "-c p b" before -j, as iptables -S -v prints; otherwise "[p:b] " in front
  std::optional<Selector<Network>> source, destination;
  std::optional<Selector<std::string>> in_device, out_device, protocol;
  std::optional<bool> fragment;  // -f; false: ! -f
  std::vector<Match> matches;
  std::optional<Target> target;
  std::vector<Word> not_understood;  // words that belong to nothing
};

// "# …" and other lines that carry no rule.
struct CommentLine {
  std::string text;
};
struct BlankLine {
  std::string text;
};  // blanks of the line
struct TableLine {
  std::string name;
};  // *nat
struct CommitLine {};
// ":PREROUTING ACCEPT [0:0]"; the policy of a user chain is "-".
struct ChainLine {
  std::string name, policy;
  std::optional<Counters> counters;
};
// "-P PREROUTING ACCEPT [-c p b]"
struct PolicyLine {
  std::string chain, policy;
  std::optional<Counters> counters;
};
struct NewChainLine {
  std::string chain;
};  // "-N chain"
struct RuleLine {
  Rule rule;
};
// "Chain INPUT (policy ACCEPT 0 packets, 0 bytes)", "Chain X (2 references)"
struct ListedChainLine {
  std::string name, policy;    // policy empty for user chains
  std::string packets, bytes;  // as printed, "1029K"; empty where not printed
  std::optional<std::uint64_t> references;
};
struct ListedColumnsLine {
  std::string text;
  bool numbers = false, counters = false, exact = false;
};
// A rule of iptables -L: its columns as printed, and what they mean as a Rule.
struct ListedRuleLine {
  std::string number, packets, bytes, target, protocol, option, in_device, out_device, source, destination;
  std::string description;                // behind the columns
  std::optional<std::string> odd_layout;  // the line, where its columns are not those of iptables
  Rule rule;
};
struct UnknownLine {
  std::string text;
};

using Item = std::variant<CommentLine, BlankLine, TableLine, CommitLine, ChainLine, PolicyLine, NewChainLine, RuleLine,
                          ListedChainLine, ListedColumnsLine, ListedRuleLine, UnknownLine>;

struct TreeLine {
  Item item;
  std::string indent;  // blanks in front, of pasted text
  std::string end;     // "\n", "\r\n", ""
  std::uint32_t number = 0;
};

struct Document {
  std::vector<TreeLine> lines;
};

}  // namespace egt::parsers::iptables
