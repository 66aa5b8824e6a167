#include "field_changes.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <variant>

#include "packet_fields.h"

namespace egt::engine {
namespace {

using namespace openflow;
using F = FieldId;

// Which words of the packet an action may change: of most actions those of one field. None: it changes no field itself.
struct WordsWritten {
  std::optional<WordRun> operator()(const SetField& a) const { return words_of(a.field); }
  std::optional<WordRun> operator()(const Load& a) const { return words_of(a.dest.field); }
  std::optional<WordRun> operator()(const Move& a) const { return words_of(a.dest.field); }
  std::optional<WordRun> operator()(const Pop& a) const { return words_of(a.dest.field); }
  std::optional<WordRun> operator()(const Multipath& a) const { return words_of(a.dest.field); }
  std::optional<WordRun> operator()(const CheckPktLarger& a) const { return words_of(a.dest.field); }
  std::optional<WordRun> operator()(const DeleteField& a) const { return words_of(a.field); }
  std::optional<WordRun> operator()(const WriteMetadata&) const { return words_of(F::metadata); }
  std::optional<WordRun> operator()(const DecTtl&) const { return words_of(F::nw_ttl); }
  std::optional<WordRun> operator()(const Bundle& a) const {
    return a.dest ? std::optional(words_of(a.dest->field)) : std::nullopt;
  }
  std::optional<WordRun> operator()(const Learn& a) const {
    return a.result_dst ? std::optional(words_of(a.result_dst->field)) : std::nullopt;
  }
  std::optional<WordRun> operator()(const PushVlan&) const { return WordRun{}; }
  std::optional<WordRun> operator()(const PopVlan&) const { return WordRun{}; }
  std::optional<WordRun> operator()(const SetVlanVid&) const { return WordRun{}; }
  std::optional<WordRun> operator()(const SetVlanPcp&) const { return WordRun{}; }
  std::optional<WordRun> operator()(const PushMpls&) const { return WordRun{}; }
  std::optional<WordRun> operator()(const PopMpls&) const { return WordRun{}; }
  std::optional<WordRun> operator()(const SetMpls&) const { return WordRun{}; }
  std::optional<WordRun> operator()(const DecMplsTtl&) const { return WordRun{}; }
  std::optional<WordRun> operator()(const DecNshTtl&) const { return WordRun{}; }
  std::optional<WordRun> operator()(const Encap&) const { return WordRun{}; }
  std::optional<WordRun> operator()(const Decap&) const { return WordRun{}; }
  template <class Other>
  std::optional<WordRun> operator()(const Other&) const {
    return std::nullopt;
  }
};

// The 64- or 128-bit register that an action writes as a whole, as OVN does with IPv6 addresses.
std::optional<F> whole_register(const Action& action) {
  Subfield dest;
  if (const auto* a = std::get_if<Move>(&action.kind))
    dest = a->dest;
  else if (const auto* p = std::get_if<Pop>(&action.kind))
    dest = p->dest;
  else if (const auto* l = std::get_if<Load>(&action.kind))
    dest = l->dest;
  else if (const auto* f = std::get_if<SetField>(&action.kind); f && !f->mask)
    dest = whole(f->field);
  if (dest.field < F::xreg0 || dest.field > F::xxreg7 || dest != whole(dest.field)) return std::nullopt;
  return dest.field;
}

void record_change(Step& step, F field, U128 before, U128 after) {
  if (before == after) return;
  constexpr std::size_t kUsual = 4;
  std::vector<FieldChange>& changed = step.changed;
  if (changed.empty()) changed.reserve(kUsual);
  const auto earlier = std::find_if(changed.rbegin(), changed.rend(), [&](const FieldChange& c) { return c.field == field; });
  if (earlier == changed.rend() || earlier->after != before)
    changed.push_back({field, before, after});
  else if (earlier->before == after)
    changed.erase(std::next(earlier).base());
  else
    earlier->after = after;
}

}  // namespace

void FieldChanges::before(const Action& action, const FlowKey& flow) {
  const auto words = std::visit(WordsWritten{}, action.kind);
  if (!words) return;
  for (std::size_t i = 0; i < words->count; ++i) before_.set_word(words->first + i, flow.word(words->first + i));
}

void FieldChanges::after(const Action& action, const FlowKey& flow, Step& step) {
  const auto words = std::visit(WordsWritten{}, action.kind);
  if (!words) return;
  if (const auto as_one = whole_register(action)) return record_change(step, *as_one, before_.get(*as_one), flow.get(*as_one));
  find_differing_fields(before_, flow, *words, changed_);
  for (const F id : changed_) record_change(step, id, before_.get(id), flow.get(id));
}

}  // namespace egt::engine
