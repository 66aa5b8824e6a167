#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>

#include "egtrace/base/text.h"
#include "egtrace/explain/decode.h"
#include "layouts.h"

namespace egt::explain {
namespace {

// "25.03.1" as {25, 3, 1}; "25.03" as {25, 3, none}.
struct ReleaseMonth {
  unsigned year = 0, month = 0;
  std::optional<unsigned> patch;
};

std::optional<ReleaseMonth> parse_release(std::string_view text) {
  consume(text, "v");
  ReleaseMonth r;
  const auto year = parse_decimal(take_until(text, '.')), month = parse_decimal(take_until(text, '.'));
  if (!year || !month || *year > 99 || *month > 12) return std::nullopt;
  r.year = static_cast<unsigned>(*year);
  r.month = static_cast<unsigned>(*month);
  // "25.03.1-42.el9" of a package counts as its release.
  const auto patch = parse_decimal(text.substr(0, text.find_first_not_of("0123456789")));
  if (patch) r.patch = static_cast<unsigned>(*patch);
  return r;
}

// Whether "23.06.1-23.06.5" holds the release.
bool holds(std::string_view range, const ReleaseMonth& wanted) {
  const auto first = parse_release(take_until(range, '-'));
  const auto last = range.empty() ? first : parse_release(range);
  if (!first || !last || first->year != wanted.year || first->month != wanted.month) return false;
  return !wanted.patch || (first->patch <= wanted.patch && wanted.patch <= last->patch);
}

// The ranges of a layout that are asked for; empty when none is.
std::string releases_of(const PipelineLayout& layout, const DecodeOptions& options) {
  const auto wanted = parse_release(options.ovn);
  if (!options.ovn.empty() && !wanted) return {};
  std::string all;
  for (const std::string_view range : words(layout.releases)) {
    if (wanted && !holds(range, *wanted)) continue;
    if (!all.empty()) all += ", ";
    all += range;
  }
  return all;
}

struct Pipeline {
  std::string_view prefix, stages;
  unsigned base;
};

std::array<Pipeline, 4> pipelines(const PipelineLayout& l) {
  return {{{"lr_in_", l.router_in, l.ingress_base},
           {"ls_in_", l.switch_in, l.ingress_base},
           {"lr_out_", l.router_out, l.egress_base},
           {"ls_out_", l.switch_out, l.egress_base}}};
}

std::vector<TableUse> uses_in(const PipelineLayout& layout) {
  std::vector<TableUse> all;
  for (const Pipeline& p : pipelines(layout)) {
    int stage = 0;
    for (const std::string_view name : words(p.stages)) {
      all.push_back({fmt::format("{}{}", p.prefix, name), stage, p.base + static_cast<unsigned>(stage), {}});
      ++stage;
    }
  }
  for (std::string_view entry : words(layout.physical)) {
    const std::string_view name = take_until(entry, '=');
    all.push_back({fmt::format("OFTABLE_{}", name), -1, static_cast<unsigned>(parse_decimal(entry).value_or(0)), {}});
  }
  return all;
}

// Uses that a test picks, each with all releases that have it so.
template <class Test>
std::vector<TableUse> gather(const DecodeOptions& options, Test test) {
  std::vector<TableUse> all;
  for (const PipelineLayout& layout : pipeline_layouts()) {
    const std::string releases = releases_of(layout, options);
    if (releases.empty()) continue;
    for (TableUse& use : uses_in(layout)) {
      if (!test(use)) continue;
      const auto known = std::find_if(all.begin(), all.end(), [&](const TableUse& u) {
        return u.name == use.name && u.stage == use.stage && u.table == use.table;
      });
      if (known != all.end()) {
        known->releases += ", " + releases;
      } else {
        use.releases = releases;
        all.push_back(std::move(use));
      }
    }
  }
  return all;
}

// Newest releases are asked for most.
void newest_first(std::vector<TableUse>& uses) { std::reverse(uses.begin(), uses.end()); }

}  // namespace

std::vector<TableUse> uses_of_table(unsigned table, const DecodeOptions& options) {
  auto uses = gather(options, [table](const TableUse& use) { return use.table == table; });
  newest_first(uses);
  return uses;
}

std::vector<TableUse> tables_of_name(std::string_view name, const DecodeOptions& options) {
  auto uses = gather(options, [name](const TableUse& use) { return use.name == name; });
  newest_first(uses);
  return uses;
}

}  // namespace egt::explain
