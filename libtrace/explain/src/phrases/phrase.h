// Tables of phrases: for each value of an enumeration its name, as JSON prints it, and its words.
//
// base/fill.h has the language of the words. Where an enumeration is named, its own phrase stands, of what follows it.
#pragma once

#include <string>
#include <string_view>

#include "egtrace/cluster/inconsistency.h"
#include "egtrace/engine/detail.h"

namespace egt::explain {

template <class Kind>
struct Phrase {
  Kind kind;
  std::string_view name, words;
  std::string_view why = {};      // of assumptions and questions: the ground
  std::string_view command = {};  // of what is missing: what prints it
};

// Whether a table has a row for each value up to its last one: it is then indexed by value.
template <class Kind, std::size_t N>
constexpr bool is_complete(const Phrase<Kind> (&table)[N]) {
  for (std::size_t i = 0; i < N; ++i)
    if (table[i].kind != static_cast<Kind>(i)) return false;
  return true;
}

const Phrase<cluster::Conflict>& phrase_of(cluster::Conflict kind);
const Phrase<engine::Input>& phrase_of(engine::Input kind);
const Phrase<engine::Property>& phrase_of(engine::Property kind);
const Phrase<engine::Branch>& phrase_of(engine::Branch kind);
const Phrase<engine::Supposition>& phrase_of(engine::Supposition kind);

std::string fill(std::string_view words, const engine::Details& about);

}  // namespace egt::explain
