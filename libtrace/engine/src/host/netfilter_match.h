// Tests and expressions of netfilter rules against one packet: true, false, or not to be shown from the dumps.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "egtrace/engine/choice.h"
#include "egtrace/engine/truth.h"
#include "netfilter_values.h"

namespace egt::engine {

struct TestResult {
  Truth truth = Truth::no;
  Unknown what;                       // would decide it
  std::optional<double> probability;  // of "yes", where it is the rule that tosses the coin
  Provenance member = {};             // of a set that is distinguished from the rules: the one that was met
};

// A value of an expression; several parts where a map yields a concatenation.
struct Evaluated {
  enum class Kind : std::uint8_t { value, absent, unknown } kind = Kind::absent;
  netfilter::Concat parts;
  Unknown what;  // would decide it
};

// What an expression could not show, or what it was asked for.
inline Unknown unknown_of(const Evaluated& e, Property asked) {
  return e.what.property == Property::none ? Unknown{asked} : e.what;
}

// Lets an expression that draws a number (numgen, jhash) split the path of the packet.
class Splitter {
 public:
  virtual ~Splitter() = default;
  virtual std::size_t split(Property what, std::vector<Option> options) = 0;
};

TestResult test(const netfilter::Test& t, const ReadFrom& from);
// What the left side of a test reads, one value a part; empty where the packet has none or the dumps do not show.
std::vector<std::optional<netfilter::Atom>> left_values(const netfilter::Test& t, const ReadFrom& from);
Evaluated evaluate(const netfilter::Expr& e, const ReadFrom& from, Splitter& splitter);

// The element of a verdict map that the key meets; null when none does.
struct VerdictLookup {
  const netfilter::VerdictElement* element = nullptr;
  std::optional<Unknown> unknown;  // what would decide it
};
VerdictLookup look_up(const netfilter::VerdictMapStatement& m, const ReadFrom& from, Splitter& splitter);

}  // namespace egt::engine
