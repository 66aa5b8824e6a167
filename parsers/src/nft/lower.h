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

// Each rule of the tree goes away when the model has it: both together are the most memory that reading takes.
Lowered lower(Document&& document, SourceId source);

}  // namespace egt::parsers::nft
