#include "netfilter_presumed.h"

#include <algorithm>

#include "netfilter_match.h"

namespace egt::engine {
namespace {

// Draws are the same on both sides of a comparison.
class FirstOption : public Splitter {
 public:
  std::size_t split(Property, std::vector<Option>) override { return 0; }
};

NetfilterContext without_connection(const NetfilterContext& context) {
  NetfilterContext other = context;
  other.state = PacketState::invalid;
  other.connection = nullptr;
  return other;
}

bool sets_otherwise(const netfilter::SetMark& s, const ReadFrom& with, const ReadFrom& without) {
  if (!s.value) return false;
  FirstOption first;
  const Evaluated value = evaluate(*s.value, with, first);
  if (value.kind == evaluate(*s.value, without, first).kind) return false;
  const U128 mark = with.context.packet.get(FieldId::pkt_mark);
  const auto* n = value.parts.empty() ? nullptr : std::get_if<netfilter::Number>(&value.parts.front());
  return n == nullptr || ((mark & s.keep_mask.value_or(0)) ^ *n) != mark;
}

bool leads_elsewhere(const netfilter::VerdictMapStatement& m, const ReadFrom& with, const ReadFrom& without) {
  FirstOption first;
  const VerdictLookup one = look_up(m, with, first), other = look_up(m, without, first);
  return one.element != other.element || one.unknown.has_value() != other.unknown.has_value();
}

}  // namespace

bool rests_on_presumption(const netfilter::Rule& rule, std::size_t at, const ReadFrom& with) {
  const NetfilterContext other = without_connection(with.context);
  const ReadFrom without{with.host, with.family, with.hook, other, with.xt};
  const netfilter::Statement& s = rule.statements[at];
  if (const auto* map = std::get_if<netfilter::VerdictMapStatement>(&s)) return leads_elsewhere(*map, with, without);
  if (const auto* mark = std::get_if<netfilter::SetMark>(&s)) return sets_otherwise(*mark, with, without);
  const auto* t = std::get_if<netfilter::Test>(&s);
  if (t == nullptr || test(*t, with).truth == test(*t, without).truth) return false;
  return std::none_of(rule.statements.begin() + static_cast<std::ptrdiff_t>(at) + 1, rule.statements.end(),
                      [&](const auto& later) {
                        const auto* next = std::get_if<netfilter::Test>(&later);
                        return next != nullptr && test(*next, with).truth == Truth::no && test(*next, without).truth == Truth::no;
                      });
}

}  // namespace egt::engine
