// nft listings, as text and as JSON, as formats of the parsers' registry.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "egtrace/base/text.h"
#include "egtrace/parsers/format.h"
#include "nft/json_dump.h"
#include "nft/lower.h"
#include "nft/print.h"
#include "nft/reader.h"
#include "nft/tree_json.h"

namespace egt::parsers {
namespace {

constexpr std::size_t kMostDiagnostics = 200;

bool is_table_line(std::string_view line) {
  line = trim(line);
  if (line.substr(0, 6) != "table ") return false;
  const auto brace = line.find(" {");
  return brace != std::string_view::npos && words(line.substr(0, brace)).size() == 3;
}

// "chain NAME {" and the like, cut out of its table.
bool is_item_line(std::string_view line) {
  const auto w = words(line);
  return w.size() == 3 && w[2] == "{" && (w[0] == "chain" || w[0] == "set" || w[0] == "map");
}

// How many tables begin in the text; looks at all of it, since one table alone may be thousands of lines.
std::size_t count_tables(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = text.substr(0, 6) == "table " ? 0 : text.find("\ntable "); at != std::string_view::npos;
       at = text.find("\ntable ", at + 1)) {
    std::string_view rest = text.substr(text[at] == '\n' ? at + 1 : at);
    if (is_table_line(next_line(rest))) ++count;
  }
  return count;
}

bool lists_ruleset(const Dump& dump) { return command_has(dump, "list ruleset"); }

// Whether all tables of the host are in it: the command shows it, or several tables were printed.
bool is_whole(const Dump& dump) {
  if (dump.partial) return false;
  if (lists_ruleset(dump)) return true;
  return !command_has(dump, "list table") && !command_has(dump, "list chain") && count_tables(dump.text) > 1;
}

std::string topic(const Dump& dump) {
  return is_whole(dump) ? std::string("nft ruleset") : fmt::format("nft part {}:{}", dump.path, dump.first_line);
}

bool is_nft_command(const Dump& dump) {
  return command_has(dump, "nft") && (lists_ruleset(dump) || command_has(dump, "list table") || command_has(dump, "list chain"));
}

Recognition recognise_text(const Dump& dump) {
  if (nft::looks_like_json(dump.text)) return {};
  // Handles add nothing, missing counters (-s) and symbols (-n) take something away.
  const int quality = dump.text.find("counter packets ") != std::string_view::npos ? 100 : 95;
  if (count_tables(dump.text) > 0) return {96, topic(dump), quality};
  // A snapshot's own indentation ("  table inet x {") in pasted text.
  std::string_view rest = dump.text.substr(0, std::min<std::size_t>(dump.text.size(), 65536));
  bool items = false;
  while (!rest.empty()) {
    const std::string_view line = next_line(rest);
    if (is_table_line(line)) return {80, topic(dump), 50};
    items |= is_item_line(line);
  }
  if (items) return {is_nft_command(dump) ? 90 : 70, fmt::format("nft part {}:{}", dump.path, dump.first_line), 40};
  if (!is_nft_command(dump)) return {};
  return {trim(dump.text).empty() ? 60 : 10, topic(dump), 1};
}

Recognition recognise_json(const Dump& dump) {
  if (!nft::looks_like_json(dump.text)) return {};
  return {97,
          lists_ruleset(dump) || dump.text.find("\"metainfo\"") != std::string_view::npos
              ? (command_has(dump, "list table") ? topic(dump) : std::string("nft ruleset"))
              : topic(dump),
          40};  // all on one line: it cannot show the line behind a fact
}

void report_reading(const nft::Reading& reading, const Dump& dump, Report& report) {
  std::set<std::uint32_t> lines;
  for (const nft::Misread& m : reading.misread) {
    const Provenance at{dump.source, m.line};
    if (m.column > 0 && lines.insert(m.line).second) report.not_understood.push_back(at);
    if (report.diagnostics.size() < kMostDiagnostics) {
      report.diagnostics.push_back({Diagnostic::Severity::warning, at, m.column, m.message, {}});
    }
  }
  report.lines += reading.lines;
  report.ignored += reading.ignored;
  report.understood += reading.lines - reading.ignored - static_cast<std::uint32_t>(lines.size());
}

nft::Reading read(const Dump& dump, Report& report) {
  nft::Reading reading = nft::read_listing(dump.text, dump.first_line);
  report_reading(reading, dump, report);
  return reading;
}

nft::Lowered lower(const Dump& dump, Report& report) {
  nft::Reading reading = nft::read_to_lower(dump.text, dump.first_line);
  report_reading(reading, dump, report);
  return nft::lower(std::move(reading.document), dump.source);
}

void reprint_text(const Dump& dump, std::string& out, Report& report) {
  const nft::Reading reading = read(dump, report);
  const std::size_t before = out.size();
  nft::print(reading.document, out);
  // A dump that was cut inside a line stays so.
  const bool cut = !dump.text.empty() && dump.text.back() != '\n';
  if (cut && out.size() > before && out.back() == '\n') out.pop_back();
}

void text_to_json(const Dump& dump, std::string& out, Report& report) { out += nft::tree_to_json(read(dump, report).document); }

// --- loading -------------------------------------------------------------------------------------------------------
bool same_table(const netfilter::Table& a, const netfilter::Table& b) { return a.family == b.family && a.name == b.name; }

// Chains and sets that another dump of the table did not show.
void merge_table(netfilter::Table& into, netfilter::Table&& table) {
  for (netfilter::Chain& c : table.chains) {
    const bool known =
        std::any_of(into.chains.begin(), into.chains.end(), [&](const netfilter::Chain& x) { return x.name == c.name; });
    if (!known) into.chains.push_back(std::move(c));
  }
  for (auto& [name, set] : table.sets) into.sets.emplace(name, set);
}

void merge(netfilter::Ruleset& into, netfilter::Ruleset&& rules) {
  for (netfilter::Table& t : rules.tables) {
    const auto found =
        std::find_if(into.tables.begin(), into.tables.end(), [&](const netfilter::Table& x) { return same_table(x, t); });
    if (found == into.tables.end()) {
      into.tables.push_back(std::move(t));
    } else {
      merge_table(*found, std::move(t));
    }
  }
}

void store(nft::Lowered&& lowered, const Dump& dump, bool whole, host::Host& host, Report& report) {
  for (Diagnostic& d : lowered.diagnostics) {
    if (report.diagnostics.size() < kMostDiagnostics) report.diagnostics.push_back(std::move(d));
  }
  auto& part = host.nft;
  const bool complete = whole && !lowered.incomplete;
  if (complete || !part.present) {
    part = {true, !complete, std::move(lowered.rules), {dump.source, 0}};
    return;
  }
  if (part.partial) merge(part.value, std::move(lowered.rules));
}

void load_text(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  nft::Lowered lowered = lower(dump, report);
  // A listing that stops in the middle of a line is cut even where its braces happen to match.
  const std::string_view text = trim(dump.text);
  if (!text.empty() && dump.text.back() != '\n' && text.back() != '}') lowered.incomplete = true;
  store(std::move(lowered), dump, is_whole(dump), node.host, report);
}

// --- JSON ----------------------------------------------------------------------------------------------------------
void count_json(const Dump& dump, bool good, Report& report) {
  std::string_view rest = dump.text;
  std::uint32_t lines = 0;
  while (!rest.empty()) {
    next_line(rest);
    ++lines;
  }
  report.lines += lines;
  if (good) {
    report.understood += lines;
    return;
  }
  const Provenance at{dump.source, dump.first_line};
  report.not_understood.push_back(at);
  report.diagnostics.push_back({Diagnostic::Severity::error, at, 0, "not the JSON that nft prints, or only a part of it", {}});
}

void reprint_json(const Dump& dump, std::string& out, Report& report) {
  const auto text = nft::reprint_json(dump.text);
  count_json(dump, text.has_value(), report);
  out += text ? *text : std::string(dump.text);
}

void json_tree(const Dump& dump, std::string& out, Report& report) {
  const auto text = nft::pretty_json(dump.text);
  count_json(dump, text.has_value(), report);
  out += text ? *text : std::string("{}\n");
}

void load_json(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  const auto listing = nft::json_to_listing(dump.text);
  count_json(dump, listing.has_value(), report);
  if (!listing) return;
  nft::Reading reading = nft::read_to_lower(*listing);
  nft::Lowered lowered = nft::lower(std::move(reading.document), dump.source);
  // The listing's lines are not the dump's: facts point at the whole.
  const bool one_line = dump.text.find('\n') + 1 >= dump.text.size();
  const Provenance from{dump.source, one_line ? dump.first_line : 0};
  for (netfilter::Table& t : lowered.rules.tables) {
    t.from = from;
    for (netfilter::Chain& c : t.chains) {
      c.from = from;
      for (netfilter::Rule& r : c.rules) r.from = from;
    }
  }
  for (Diagnostic& d : lowered.diagnostics) d.at = from;
  store(std::move(lowered), dump, !dump.partial && recognise_json(dump).topic == "nft ruleset", node.host, report);
}

constexpr Format kFormats[] = {
    {"nft list ruleset", "nft -a list ruleset", recognise_text, reprint_text, text_to_json, load_text},
    {"nft -j list ruleset", "nft -j list ruleset", recognise_json, reprint_json, json_tree, load_json},
};

}  // namespace

std::span<const Format> nft_formats() { return kFormats; }

}  // namespace egt::parsers
