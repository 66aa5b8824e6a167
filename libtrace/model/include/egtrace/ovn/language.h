// How an engine has matches and actions read: engines know no text, and most logical flows are never looked at.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "egtrace/ovn/action.h"
#include "egtrace/ovn/expression.h"

namespace egt::ovn {

struct Ovn;
struct Program;

struct ReadActions {
  ActionList actions;
  Expression prerequisites;  // annotated; must hold beside the match
};

// One comparison that a match needs, seen without reading the match: `symbol == value/mask`; of inport and outport `port`,
// the name as it is written, or one of a port group. Views into the match.
struct NeededTerm {
  const Symbol* symbol = nullptr;  // has a field of its own
  U128 value = 0, mask = 0;
  std::string_view port;
  const ValueSet* group = nullptr;
};

// The one that fewest packets meet, and where there are several a second one, which is of a number without mask.
struct NeededTerms {
  NeededTerm first;
  std::optional<NeededTerm> second;
};

class FlowReader {
 public:
  virtual ~FlowReader() = default;
  // Must hold where the match holds; nothing where that takes reading it. They may be there for a match that is not valid.
  virtual std::optional<NeededTerms> needed_terms(std::string_view, std::uint32_t /*datapath_key*/) const { return std::nullopt; }
  // Annotated; nothing where the text cannot be understood. Port groups are those of this datapath.
  virtual std::optional<Expression> read_match(std::string_view text, std::uint32_t datapath_key) const = 0;
  virtual std::optional<ReadActions> read_actions(std::string_view text, Pipeline pipeline, std::uint8_t table) const = 0;
};

// Makes a node's logical flows readable when they are first needed.
class Language {
 public:
  virtual ~Language() = default;
  // `ovn` must outlive it.
  virtual std::shared_ptr<const Program> program_of(const Ovn& ovn) const = 0;
};

}  // namespace egt::ovn
