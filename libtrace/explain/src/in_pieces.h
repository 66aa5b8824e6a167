// Flows, rows and logical flows looked through on all processors.
#pragma once

#include <algorithm>
#include <vector>

#include "egtrace/base/parallel.h"
#include "egtrace/openflow/flow_table.h"

namespace egt::explain {

// Of which shapes of flows `test` is true, asked with a match that looks at the same bits.
template <class Test>
std::vector<bool> shapes_for_which(const openflow::FlowTables& flows, const Test& test) {
  std::vector<bool> all;
  std::vector<openflow::MatchWord> words;
  for (const openflow::MatchShape& shape : flows.shapes()) {
    words.clear();
    for (const openflow::MaskWord& w : shape) words.push_back({w.word, 0, w.mask});
    all.push_back(test(openflow::MatchView(words)));
  }
  return all;
}

inline std::vector<bool> shapes_that_look_at(const openflow::FlowTables& flows, FieldId field) {
  return shapes_for_which(flows, [&](openflow::MatchView match) { return openflow::mask_of(match, field) != U128{}; });
}

// What `look(first, behind the last, one of the result)` finds in each piece of `size` elements, in their order. On all processors.
template <class Found, class Look>
std::vector<Found> in_pieces(std::size_t size, std::size_t piece, const Look& look) {
  std::vector<Found> pieces((size + piece - 1) / piece);
  constexpr std::size_t kWorthAThread = 2;  // one piece is not
  for_each_index(pieces.size(), 0, kWorthAThread,
                 [&](std::size_t i) { look(i * piece, std::min(size, (i + 1) * piece), pieces[i]); });
  return pieces;
}

template <class Found, class Look>
std::vector<Found> in_pieces(const openflow::FlowTables& flows, const Look& look) {
  using openflow::FlowIndex;
  constexpr std::size_t kFlows = 8192;
  return in_pieces<Found>(flows.size(), kFlows, [&](std::size_t begin, std::size_t end, Found& found) {
    look(static_cast<FlowIndex>(begin), static_cast<FlowIndex>(end), found);
  });
}

// What `look(element, one of the result)` finds in each piece of a list of rows or logical flows.
template <class Found, class List, class Look>
std::vector<Found> in_pieces_of(const List& list, const Look& look) {
  constexpr std::size_t kRows = 512;  // several of Pieces::kPiece, so that threads do not wait for each other's
  return in_pieces<Found>(list.size(), kRows, [&](std::size_t begin, std::size_t end, Found& found) {
    for (std::size_t i = begin; i < end; ++i) look(list[i], found);
  });
}

// Those of `list` that `is_wanted`, in its order.
template <class List, class Test>
std::vector<const typename List::value_type*> wanted_of(const List& list, const Test& is_wanted) {
  using Element = typename List::value_type;
  using Found = std::vector<const Element*>;
  Found all;
  const auto look = [&](const Element& element, Found& found) {
    if (is_wanted(element)) found.push_back(&element);
  };
  for (const Found& some : in_pieces_of<Found>(list, look)) all.insert(all.end(), some.begin(), some.end());
  return all;
}

}  // namespace egt::explain
