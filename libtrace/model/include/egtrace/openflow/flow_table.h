// The flow tables of one bridge: a node may have a million flows.
//
// A flow of a dump is kept as 24 bytes: where its line is, its table and priority, the shape of its match (which bits
// it looks at) and a hash of the values. The line itself is read when a packet comes near it, because a walk touches a
// few hundred of a million flows; so is the text of its actions. What reads them is handed in: the model knows no
// parser.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/evidence/evidence.h"
#include "egtrace/openflow/action.h"
#include "egtrace/openflow/address_prefixes.h"
#include "egtrace/openflow/match.h"

namespace egt::openflow {

using FlowIndex = std::uint32_t;
constexpr FlowIndex kNoFlow = ~FlowIndex{0};
using ActionParser = std::function<ActionList(std::string_view)>;

// What a dump says of a flow's use. Absent: it was printed without statistics (--no-stats, a hidden flow), or by a
// version of OpenFlow that lacks them.
struct FlowUse {
  std::optional<std::uint64_t> n_packets;
  std::optional<double> duration;         // seconds since the flow was made
  std::optional<std::uint64_t> idle_age;  // seconds since it last took a packet
};

struct ActionText;

struct FlowEntry {
  std::uint64_t cookie = 0;
  FlowUse use;
  Provenance from;
  const MatchWord* match = nullptr;     // match_words of them
  const ActionText* actions = nullptr;  // each text once
  std::uint16_t priority = 32768;
  std::uint8_t match_words = 0;
  std::uint8_t table = 0;
};

inline MatchView match_of(const FlowEntry& f) { return {f.match, f.match_words}; }
std::string_view actions_text(const FlowEntry& f);

// What a match looks at: a MatchView without its values.
struct MaskWord {
  std::uint8_t word = 0;
  std::uint64_t mask = 0;
  friend auto operator<=>(const MaskWord&, const MaskWord&) = default;
};
using MatchShape = std::vector<MaskWord>;  // ascending by word
bool looks_at(const MatchShape& shape, FieldId field);

// A flow in a text, with what a lookup needs to know before it reads the line.
struct FlowRef {
  std::uint64_t offset : 40 = 0;  // of the line's first byte
  std::uint64_t priority : 16 = 32768;
  std::uint64_t table : 8 = 0;
  std::uint32_t line = 0;  // number in the file
  std::uint32_t hash = 0;  // of its match, and of the part of it that looks at the pipeline's own fields
  std::uint32_t pipeline_hash = 0;
  std::uint32_t shape : 24 = 0;       // index into the shapes that came with it
  std::uint32_t conjunctive : 1 = 0;  // its actions are conjunction(…)
  std::uint32_t unread : 1 = 0;       // not understood as a whole: what is known of its match is all that there is
  std::uint32_t unused : 6 = 0;       // so that equal flows are equal bytes
};
static_assert(sizeof(FlowRef) == 24);
constexpr std::size_t kMaxShapes = std::size_t{1} << 24;
constexpr std::uint64_t kMaxFlowOffset = (std::uint64_t{1} << 40) - 1;

// Of the values of a match, word after word; equal matches of one shape have equal hashes. Words below kHeaderWords are
// those of the pipeline (registers, metadata, conntrack), which come first.
constexpr std::size_t kHeaderWords = 54;
struct MatchHash {
  std::uint64_t state = 0;
  void add(std::uint64_t value) {
    state = (state ^ value) * 0x9e3779b97f4a7c15ULL;
    state ^= state >> 32;
  }
  std::uint32_t get() const { return static_cast<std::uint32_t>(state); }
};

// What a line says.
struct FlowContent {
  std::uint64_t cookie = 0;
  FlowUse use;
  std::vector<MatchWord> match;  // ascending by word
  std::string actions;
};

// Reads lines of one dump again, for any number of threads.
class FlowText {
 public:
  virtual ~FlowText() = default;
  virtual SourceId source() const = 0;
  virtual void read(const FlowRef& flow, FlowContent& out) const = 0;
  // The match alone, for less.
  virtual void match(const FlowRef& flow, std::vector<MatchWord>& out) const = 0;
  // The cookie alone, for less.
  virtual std::uint64_t cookie(const FlowRef& flow) const = 0;
  // How many packets took it, for less; nothing where that was not printed.
  virtual std::optional<std::uint64_t> packets(const FlowRef& flow) const = 0;
  // As it was dumped. `buffer` holds it where it is not in the text.
  virtual std::string_view line(const FlowRef& flow, std::string& buffer) const = 0;
  // The lines of flows that follow each other, with what stands between them: what `line` says of each begins where its offset is,
  // counted from the first's. Empty: they do not lie so.
  virtual std::string_view contiguous_lines(const FlowRef& first, const FlowRef& last) const = 0;
  // The clauses of which a conjunctive flow is a member, for less.
  virtual void memberships(const FlowRef& flow, std::vector<Conjunction>& out) const = 0;
};

// The flows of one dump, in its order.
struct FlowBatch {
  std::shared_ptr<const FlowText> text;
  std::vector<FlowRef> flows;
  std::vector<MatchShape> shapes;
  OwnedPrefixes prefixes;
};

struct Clause;
struct CompiledFlows;
class FlowLookup;
class Subtables;

// Once its flows are added any number of threads may read it.
class FlowTables {
 public:
  explicit FlowTables(ActionParser parser);
  // Flows whose index was made before. Each number in it is checked when it is used: std::runtime_error where it leads
  // nowhere.
  FlowTables(ActionParser parser, CompiledFlows flows);
  ~FlowTables();
  // A copy shares the flows and their indexes; what is read of lines each has for itself.
  FlowTables(const FlowTables&);
  FlowTables& operator=(const FlowTables&);
  FlowTables(FlowTables&&) noexcept;
  FlowTables& operator=(FlowTables&&) noexcept;

  void add(std::uint8_t table, std::uint16_t priority, std::uint64_t cookie, std::uint64_t n_packets, MatchView match,
           std::string_view actions, Provenance from);
  // Their numbers follow those of the flows that are there.
  void add(FlowBatch batch);

  // Makes the indexes of all tables; what is handed back points into this object. Empty where the flows are not those
  // of a single dump.
  CompiledFlows compile() const;

  std::size_t size() const;
  std::uint8_t table_of(FlowIndex i) const;  // as flow(i).table and so on, without reading the line
  std::uint16_t priority_of(FlowIndex i) const;
  std::uint64_t cookie_of(FlowIndex i) const;  // reads as much of the line as it takes
  std::optional<std::uint64_t> packets_of(FlowIndex i) const;
  // The match, of which nothing is kept.
  void read_match(FlowIndex i, std::vector<MatchWord>& out) const;
  // The line as it was dumped, or the actions of a flow that no dump has. `buffer` may hold it.
  std::string_view line_of(FlowIndex i, std::string& buffer) const;
  // Of the flows from `begin` on and before `end` those whose line has one of `words`, ascending, behind what `found` has; all of
  // them where some came without a line.
  void find_words(FlowIndex begin, FlowIndex end, std::span<const std::string_view> words, std::vector<FlowIndex>& found) const;
  bool is_conjunctive(FlowIndex i) const;                                 // a member of clauses
  void memberships_of(FlowIndex i, std::vector<Conjunction>& out) const;  // of a conjunctive flow; reads no more than that
  std::size_t shape_of(FlowIndex i) const;                                // what it looks at: an index into shapes()
  const std::vector<MatchShape>& shapes() const;
  const FlowEntry& flow(FlowIndex i) const;                   // read on first use
  const ActionList& actions(const FlowEntry& f) const;        // parsed on first use
  std::span<const Clause> clauses(const FlowEntry& f) const;  // of conjunctions, that its actions show
  std::vector<FlowIndex> in_table(std::uint8_t table) const;  // by descending priority, then line
  bool has_table(std::uint8_t table) const;

  // Builds the indexes of all tables, on `jobs` threads (0: one a processor), for this and its copies. Those of tables
  // that a FlowLookup asks often are built then.
  void build_indexes(unsigned jobs) const;
  // The subtables of a table, for what a lookup depends on; good until flows are added. For one thread.
  Subtables subtables(std::uint8_t table) const;
  PrefixAnswer look_up_prefix(std::uint8_t table, AddressField field, U128 address) const;

 private:
  friend class FlowLookup;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace egt::openflow
