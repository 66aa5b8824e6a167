// Flows looked through on all processors.
#pragma once

#include <algorithm>
#include <vector>

#include "egtrace/base/parallel.h"
#include "egtrace/openflow/flow_table.h"

namespace egt::explain {

// Which of the shapes of flows look at the field.
inline std::vector<bool> shapes_that_look_at(const openflow::FlowTables& flows, FieldId field) {
  std::vector<bool> all;
  std::vector<openflow::MatchWord> words;
  for (const openflow::MatchShape& shape : flows.shapes()) {
    words.clear();
    for (const openflow::MaskWord& w : shape) words.push_back({w.word, 0, w.mask});
    all.push_back(openflow::mask_of(words, field) != U128{});
  }
  return all;
}

// What `look(first, behind the last, one of the result)` finds in each piece, in the order of the flows.
template <class Found, class Look>
std::vector<Found> in_pieces(const openflow::FlowTables& flows, const Look& look) {
  using openflow::FlowIndex;
  constexpr FlowIndex kPiece = 8192;
  const auto size = static_cast<FlowIndex>(flows.size());
  std::vector<Found> pieces((size + kPiece - 1) / kPiece);
  for_each_index(pieces.size(), 0, 1, [&](std::size_t piece) {
    const auto begin = static_cast<FlowIndex>(piece) * kPiece;
    look(begin, std::min(size, begin + kPiece), pieces[piece]);
  });
  return pieces;
}

}  // namespace egt::explain
