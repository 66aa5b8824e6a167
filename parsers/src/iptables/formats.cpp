// iptables-save, iptables -S and iptables -L as formats of the parsers' registry.
#include <fmt/format.h>

#include <algorithm>

#include "egtrace/base/text.h"
#include "egtrace/parsers/format.h"
#include "iptables/document.h"
#include "iptables/json.h"
#include "iptables/lower.h"

namespace egt::parsers {
namespace {

namespace ipt = iptables;

std::string topic_of(const ipt::Traits& t) {
  return fmt::format("iptables{} {}", t.legacy ? "-legacy" : "", t.family == Family::v4 ? "v4" : "v6");
}

bool named(const Dump& dump, std::string_view tool) { return dump.command.find(tool) != std::string::npos; }

// A dump that its name alone announces: it printed nothing, or something that is none of ours.
Recognition by_name(const Dump& dump, const ipt::Traits& t) { return {trim(dump.text).empty() ? 60 : 10, topic_of(t), 1}; }

Recognition recognise_save(const Dump& dump, Family family) {
  const ipt::Traits t = ipt::traits_of(dump);
  if (t.family != family || t.listing) return {};
  const bool called = named(dump, "tables-save") || named(dump, "tables-legacy-save") || named(dump, "tables-nft-save");
  if (!t.save) return called && !t.commands && t.rules == 0 ? by_name(dump, t) : Recognition{};
  if (!t.declares && t.rules == 0 && !called) return {};
  const bool counters = dump.text.find("\n[") != std::string_view::npos;
  return {called || dump.text.find("tables-save v") != std::string_view::npos ? 99 : 95, topic_of(t), counters ? 100 : 90};
}
Recognition recognise_save_v4(const Dump& dump) { return recognise_save(dump, Family::v4); }
Recognition recognise_save_v6(const Dump& dump) { return recognise_save(dump, Family::v6); }

// Excerpts of one table do not compete: each may hold another chain.
std::string topic_of_table(const Dump& dump, const ipt::Traits& t, bool excerpt) {
  if (excerpt) return fmt::format("{} excerpt {}:{}", topic_of(t), dump.path, dump.first_line);
  return fmt::format("{} table {}", topic_of(t), t.table.empty() ? "of " + dump.path : t.table);
}

Recognition recognise_commands(const Dump& dump) {
  const ipt::Traits t = ipt::traits_of(dump);
  if (t.save || t.listing || (!t.commands && t.rules == 0)) return {};
  return {t.declares ? 95 : 85, topic_of_table(dump, t, !t.declares || dump.partial), 60};
}

Recognition recognise_listing(const Dump& dump) {
  const ipt::Traits t = ipt::traits_of(dump);
  if (t.save || !t.listing) return {};
  return {95, topic_of_table(dump, t, dump.partial), 40};
}

void reprint(const Dump& dump, std::string& out, Report& report) {
  ipt::for_each_line(dump, ipt::traits_of(dump), report, [&](ipt::TreeLine&& line) { ipt::print_line(line, out); });
}

void to_json(const Dump& dump, std::string& out, Report& report) {
  const ipt::Traits t = ipt::traits_of(dump);
  out += ipt::to_json_text(ipt::parse_document(dump, t, report), t);
}

host::Part<netfilter::Ruleset>& part_of(host::Host& host, const ipt::Traits& t) {
  if (t.family == Family::v4) return t.legacy ? host.iptables_legacy_v4 : host.iptables_v4;
  return t.legacy ? host.iptables_legacy_v6 : host.iptables_v6;
}

// Every *table has its COMMIT; otherwise the dump was cut.
struct Commits {
  bool open = false, missing = false;

  void note(const ipt::Item& item) {
    if (std::holds_alternative<ipt::TableLine>(item)) {
      missing |= open;
      open = true;
    }
    if (std::holds_alternative<ipt::CommitLine>(item)) open = false;
  }
  bool complete() const { return !open && !missing; }
};

bool hides_a_table(const Dump& dump) { return dump.text.find("is incompatible, use 'nft' tool") != std::string_view::npos; }

// Rules of a table that was seen in pieces; a chain that another dump has shown is left as it is.
void merge_chain(netfilter::Table& table, netfilter::Chain&& chain) {
  const auto found =
      std::find_if(table.chains.begin(), table.chains.end(), [&](const netfilter::Chain& c) { return c.name == chain.name; });
  if (found == table.chains.end())
    table.chains.push_back(std::move(chain));
  else if (found->rules.empty())
    *found = std::move(chain);
}

void merge_table(netfilter::Ruleset& into, netfilter::Table&& table) {
  const auto found =
      std::find_if(into.tables.begin(), into.tables.end(), [&](const netfilter::Table& t) { return t.name == table.name; });
  if (found == into.tables.end()) {
    into.tables.push_back(std::move(table));
    return;
  }
  for (netfilter::Chain& c : table.chains) merge_chain(*found, std::move(c));
}

void note_changes(const netfilter::Ruleset& rules, host::IpSetChanges& changes) {
  for (const auto& table : rules.tables)
    for (const auto& chain : table.chains)
      for (const auto& rule : chain.rules)
        for (const auto& statement : rule.statements)
          if (const auto* update = std::get_if<netfilter::SetUpdate>(&statement))
            (update->removes ? changes.removed_from : changes.added_to).insert(update->set);
}

void load(const Dump& dump, cluster::Cluster& cluster, cluster::Node& node, Report& report) {
  static_cast<void>(cluster);
  const ipt::Traits t = ipt::traits_of(dump);
  Commits commits;
  netfilter::Ruleset rules;
  if (t.save || !t.table.empty()) {
    ipt::Lowering lowering(t.family, dump.source, t.table);
    ipt::for_each_line(dump, t, report, [&](ipt::TreeLine&& line) {
      commits.note(line.item);
      lowering.add(line);
    });
    rules = lowering.take();
  } else {  // which table they are of is known behind the last line
    const ipt::Document document = ipt::parse_document(dump, t, report);
    for (const ipt::TreeLine& line : document.lines) commits.note(line.item);
    rules = ipt::lower(document, t.family, dump.source);
  }
  note_changes(rules, node.host.ipset_changes);
  auto& part = part_of(node.host, t);
  // Nothing printed is an empty ruleset only where iptables-save printed it.
  const bool whole = t.save || (!t.listing && !t.commands && t.rules == 0 && trim(dump.text).empty());
  if (whole && !dump.partial && commits.complete()) {
    part = {true, hides_a_table(dump), std::move(rules), {dump.source, 0}};
    return;
  }
  if (part.present && !part.partial) return;  // all is known already
  if (t.save && !dump.partial)
    report.diagnostics.push_back({Diagnostic::Severity::warning,
                                  {dump.source, 0},
                                  0,
                                  "the dump ends before COMMIT: rules are missing",
                                  "take it again with iptables-save -c"});
  for (netfilter::Table& table : rules.tables) merge_table(part.value, std::move(table));
  part.present = part.partial = true;
  part.from = {dump.source, 0};
}

constexpr Format kFormats[] = {
    {"iptables-save", "iptables-save -c", recognise_save_v4, reprint, to_json, load},
    {"ip6tables-save", "ip6tables-save -c", recognise_save_v6, reprint, to_json, load},
    {"iptables -S", "iptables -t nat -S", recognise_commands, reprint, to_json, load},
    {"iptables -L", "iptables -t nat -nvL", recognise_listing, reprint, to_json, load},
};

}  // namespace

std::span<const Format> iptables_formats() { return kFormats; }

}  // namespace egt::parsers
