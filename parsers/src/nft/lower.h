// From the tree of an nft listing to the rules that the engine runs.
#pragma once

#include <string>
#include <vector>

#include "egtrace/evidence/evidence.h"
#include "egtrace/host/netfilter.h"
#include "nft/tree.h"

namespace egt::parsers::nft {

struct Lowered {
  netfilter::Ruleset rules;
  std::vector<Diagnostic> diagnostics;
  // Something that decides whether rules run at all was not understood (a chain's header, a block, the end of the dump).
  bool incomplete = false;
};

Lowered lower(const Document& document, SourceId source);

}  // namespace egt::parsers::nft
