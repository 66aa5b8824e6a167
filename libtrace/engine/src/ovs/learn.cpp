// The learn action (lib/learn.c, learn_execute): a flow made of constants and of the packet's own fields.
#include <fmt/format.h>

#include <algorithm>

#include "translation.h"

namespace egt::engine {
namespace {

using namespace openflow;

std::string subfield_text(const Subfield& s) {
  const Field& f = field(s.field);
  const std::string_view name = f.nxm_name.empty() ? f.name : f.nxm_name;
  if (s == whole(s.field)) return fmt::format("{}[]", name);
  if (s.bits == 1) return fmt::format("{}[{}]", name, s.first);
  return fmt::format("{}[{}..{}]", name, s.first, s.first + s.bits - 1);
}

}  // namespace

void Translation::learn(const Learn& a) {
  LearnedFlow flow;
  flow.table = a.table;
  flow.priority = a.priority;
  flow.cookie = a.cookie.value_or(0);
  if (const auto evidence = here(); !evidence.empty()) flow.from = evidence.front();
  std::string match_text;
  for (const LearnSpec& spec : a.specs) {
    const auto* source = std::get_if<Subfield>(&spec.source);
    const U128 value = source ? key().get(*source) : std::get<U128>(spec.source);
    switch (spec.kind) {
      case LearnSpec::Kind::match:
        flow.match.require(spec.dest, value);
        match_text += fmt::format(",{}={}", subfield_text(spec.dest), hex(value));
        break;
      case LearnSpec::Kind::load:
        flow.action_list.push_back({Load{value, spec.dest}});
        flow.actions +=
            fmt::format("{}load:{}->{}", flow.actions.empty() ? "" : ",", hex(value, true), subfield_text(spec.dest));
        break;
      case LearnSpec::Kind::output:
        flow.action_list.push_back({Output{{static_cast<std::uint32_t>(value), ""}}});
        flow.actions += fmt::format("{}output:{}", flow.actions.empty() ? "" : ",", static_cast<std::uint64_t>(value));
        break;
    }
  }
  add(LearnFlow{bridge().name, a.table,
                fmt::format("priority={}{} actions={}", a.priority, match_text,
                            flow.actions.empty() ? "drop" : flow.actions)},
      here());
  std::vector<LearnedFlow>& known = world_.learned[{node_.name, bridge().name}];
  std::erase_if(known, [&](const LearnedFlow& f) {
    return f.table == flow.table && f.priority == flow.priority && f.match == flow.match;
  });
  known.push_back(std::move(flow));
  if (a.result_dst) write_field(*a.result_dst, 1);
}

}  // namespace egt::engine
