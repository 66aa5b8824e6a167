// What `nft list ruleset` prints, as a typed tree: tables, sets, objects, flow tables, chains, and rules made of
// statements and expressions (nft(8)).
//
// The tree holds values as they are spelled (a mark as "0x000003f0", a port as "80" or "http"), because nft prints the
// same value differently by option (-n, -s, -S) and version; their meaning is found when the tree is lowered. Layout that
// nft chooses by version (empty lines between blocks, the ends of lines inside element lists) is kept as flags.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "egtrace/base/boxed.h"

namespace egt::parsers::nft {

struct Expression;
struct Element;
struct Rule;

// --- expressions ---------------------------------------------------------------------------------------------------
struct Literal {
  enum class Kind : std::uint8_t { symbol, string, number, hex, ipv4, ipv6, prefix, mac, duration, other };
  Kind kind = Kind::symbol;
  std::string text;  // without quotes
};
struct RangeExpr {
  std::vector<Expression> ends;
  bool spaced = false;
};  // two ends; spaced: " - " between them
struct SetReference {
  std::string name;
};
struct Meta {
  std::string key;
  bool bare = false;
};  // bare: without the word "meta"
struct Payload {
  std::string tunnel, protocol, field;
};  // tunnel: "vxlan", "gre" …, or empty
struct RawPayload {
  std::string base;
  std::uint32_t offset = 0, length = 0;
};  // @th,16,32: bits
struct Ct {
  std::string direction, family, key;
};  // "ct original ip saddr"
struct Fib {
  std::vector<std::string> inputs;
  std::string result;
};  // "fib saddr . iif oif"
struct Rt {
  std::string family, key;
};
struct Socket {
  std::string key;
  std::optional<std::uint32_t> level;
};
struct Numgen {
  std::string mode;
  std::uint64_t modulus = 0;
  std::optional<std::uint64_t> offset;
};
struct Hash {  // jhash (with operand) and symhash
  std::vector<Expression> operand;
  std::uint64_t modulus = 0;
  std::string seed;  // as spelled; empty: none
  std::optional<std::uint64_t> offset;
};
// Options and extension headers: "tcp option maxseg size", "ip option lsrr type", "exthdr frag", "sctp chunk data tsn".
struct HeaderOption {
  std::string protocol, word, option, field;
};
struct Osf {
  std::string ttl, key;
};
struct Ipsec {
  std::string direction;
  std::optional<std::uint32_t> spnum;
  std::string family, key;
};

struct ConcatExpr {
  std::vector<Expression> parts;
};
struct ListExpr {
  std::vector<Expression> parts;
};  // "established,related"
struct BinaryExpr {
  std::string op;
  std::vector<Expression> operands;
  bool in_parentheses = false;
};
struct SetExpr {
  std::vector<Element> elements;
};
struct MapExpr {
  std::vector<Expression> key_and_map;
};  // key, then SetExpr or SetReference
struct VerdictExpr {
  std::string kind, chain;
};  // "jump", "c"

struct Expression {
  std::variant<Literal, RangeExpr, SetReference, Meta, Payload, RawPayload, Ct, Fib, Rt, Socket, Numgen, Hash, HeaderOption, Osf,
               Ipsec, ConcatExpr, ListExpr, BinaryExpr, SetExpr, MapExpr, VerdictExpr>
      node;
};

// --- statements ----------------------------------------------------------------------------------------------------
struct Match {
  Expression left;
  std::string op;
  Expression right;
};  // op empty: implied equality, or any bit
struct VerdictMap {
  Expression key, map;
};
struct VerdictStatement {
  VerdictExpr verdict;
};
// The verdict is a block of its own: "jump {".
struct BlockVerdict {
  std::string kind;
  std::vector<Rule> rules;
};
struct Counter {
  std::optional<std::pair<std::uint64_t, std::uint64_t>> values;
  std::vector<Expression> name;
};
struct Quota {
  bool over = false;
  std::string amount, used;
  std::vector<Expression> name;
};  // "1025 kbytes"
struct Limit {
  bool over = false;
  std::string rate, burst;
  std::vector<Expression> name;
};  // "400/minute"
struct Last {
  std::string used;
};
struct Log {
  std::vector<std::pair<std::string, std::string>> options;
};  // values as spelled, quotes included
struct Reject {
  std::string with;
};  // "icmp port-unreachable"; empty: default
struct Nat {
  std::string kind;    // snat, dnat, masquerade, redirect
  std::string family;  // "ip", "ip6" or empty
  bool prefix = false;
  bool concatenated = false, interval = false;  // "addr . port", "interval": as releases 0.9.4 to 0.9.9 print them
  std::vector<Expression> address, port;        // none or one each
  bool bracketed = false;                       // "[fd00::1]:80"
  std::vector<std::string> flags;
};
struct Assign {
  Expression left, right;
};  // "meta mark set 0x1"
struct Notrack {};
struct FlowAdd {
  std::string word, table;
};  // word: "add" or "offload"
struct Queue {
  std::vector<std::string> flags;
  std::string word;
  std::vector<Expression> to;
};
struct Tproxy {
  std::string family;
  std::vector<Expression> address, port;
  bool bracketed = false;
};
struct Dup {
  std::vector<Expression> to, device;
};
struct Fwd {
  std::string family;
  std::vector<Expression> to, device;
};
struct SetUpdate {
  std::string op, set;
  std::vector<Element> element;
};  // "add @s { … }": one element
struct Meter {
  std::string name;
  std::optional<std::uint64_t> size;
  std::vector<Element> element;
};
struct Synproxy {
  std::vector<std::string> options;
  std::vector<Expression> name;
};
struct Xt {
  std::string kind, name;
};  // xt match "connlimit", xt match connlimit
struct CtCount {
  bool over = false;
  std::uint64_t count = 0;
};
struct ResetOption {
  std::string option;
};  // "tcp option mptcp"
// iptables-nft's comment match, of which nft prints nothing but the blank behind it.
struct HiddenMatch {};
struct OpaqueStatement {
  std::string text;
};  // up to the end of the rule, verbatim

struct Statement {
  std::variant<Match, VerdictMap, VerdictStatement, BlockVerdict, Counter, Quota, Limit, Last, Log, Reject, Nat, Assign, Notrack,
               FlowAdd, Queue, Tproxy, Dup, Fwd, SetUpdate, Meter, Synproxy, Xt, CtCount, ResetOption, HiddenMatch,
               OpaqueStatement>
      node;
};

// An element of a set, map or verdict map.
struct Element {
  Expression key;
  std::string timeout, expires, comment;  // as spelled; empty: none
  bool has_comment = false;
  bool statements_first = false;      // statements stand before timeout and expires
  std::vector<Statement> statements;  // counter, limit, quota of this element
  std::vector<Expression> data;       // of a map: none or one
  bool ends_line = false;             // a line ends behind its comma
  std::uint32_t line = 0;             // relative to the first line of the text that was parsed
};

// --- blocks --------------------------------------------------------------------------------------------------------
struct Rule {
  std::vector<Statement> statements;
  std::optional<std::string> comment;
  std::optional<std::uint64_t> handle;
  std::uint32_t line = 0;           // in the dump, 1-based
  std::uint32_t opaque_column = 0;  // 1-based; where understanding ended, 0 when it did not
};

inline bool uses_xt(const Rule& rule) {
  return std::any_of(rule.statements.begin(), rule.statements.end(),
                     [](const Statement& s) { return std::holds_alternative<Xt>(s.node); });
}

// A line that belongs to none of the known constructs, printed back as it was.
struct OpaqueLine {
  std::string text;
  std::uint32_t line = 0;
};

struct BaseHeader {
  std::string type, hook;
  std::vector<std::string> devices;
  bool device_list = false;  // "devices = { a, b }" rather than "device a"
  bool quoted_devices = true;
  std::string priority;  // as printed: "filter", "dstnat + 10", "-100"
  std::optional<std::string> policy;
  std::vector<std::string> flags;
  std::uint32_t line = 0;
};

// A rule as it stands in the listing: parse_rule() makes its tree.
struct RuleText {
  std::string_view text;
  std::uint32_t line = 0;
};

struct Chain {
  std::string name;
  std::optional<std::uint64_t> handle;
  std::optional<std::string> comment;
  std::optional<BaseHeader> base;
  std::vector<std::variant<Rule, OpaqueLine>> rules;
  // Those behind them, where the listing is so long that trees of all its rules are not kept (reader.h).
  std::vector<std::variant<RuleText, Boxed<Rule>>> more_rules;
  bool more_use_xt = false;  // some of these do
  std::uint32_t line = 0;
  bool empty_line_before = false, closed = false;
};

struct SetType {
  bool by_expression = false;          // "typeof" rather than "type"
  std::vector<std::string> key, data;  // names of types, or expressions as text; data: maps only
  bool interval_data = false;          // ": interval ipv4_addr"
};

struct Set {
  bool is_map = false;
  std::string name;
  std::optional<std::uint64_t> handle;
  SetType type;
  // Lines between type and elements in their order: "flags interval", "size 65535", "timeout 1h", "counter" …
  std::vector<std::string> properties;
  std::vector<std::string> flags;  // of the flags property
  bool elements_present = false;
  std::vector<Element> elements;
  std::vector<OpaqueLine> opaque;
  std::uint32_t line = 0, elements_line = 0;
  bool empty_line_before = false, closed = false;
};

// A named counter, quota, limit, ct helper, ct timeout, ct expectation, secmark, synproxy or flow table: its lines.
struct Object {
  std::string kind, name;
  bool known = true;  // false: a block of a kind that has no other place in the tree
  std::optional<std::uint64_t> handle;
  std::vector<std::string> lines;  // without the two tabs in front
  std::uint32_t line = 0;
  bool empty_line_before = false, closed = false;
};

using TableItem = std::variant<Chain, Set, Object, OpaqueLine>;

struct Table {
  std::string family, name;
  std::optional<std::uint64_t> handle;
  std::string program;                  // "progname" of the owner
  bool iptables_warning = false;        // "# Warning: table … is managed by iptables-nft" stands before it
  std::vector<std::string> properties;  // "flags dormant", comment "…"
  std::vector<TableItem> items;
  std::uint32_t line = 0;
  bool empty_line_before = false, closed = false;
  // An excerpt without its first line. The family is taken for inet, which sees packets of both.
  bool headless = false;
};

struct Document {
  std::vector<std::variant<Table, OpaqueLine>> items;
};

}  // namespace egt::parsers::nft
