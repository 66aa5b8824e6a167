// From dumps of groups to group tables: a line is read when its group is asked for.
#include "ovs_ofctl/load_groups.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "egtrace/base/parallel.h"
#include "egtrace/base/text.h"
#include "ovs_ofctl/compiled_parts.h"
#include "ovs_ofctl/group_line.h"
#include "ovs_ofctl/quick_terms.h"
#include "ovs_ofctl/reply.h"
#include "ovs_ofctl/reprinted_line.h"
#include "snapshot/compiled.h"
#include "support/binary.h"
#include "support/lines.h"
#include "support/quick_hash.h"
#include "support/read_ahead.h"

namespace egt::parsers::ofctl {
namespace {

using openflow::Group;
using openflow::GroupPlace;

constexpr std::string_view kGroupSection = "groups/1";

// What loading a dump found out beside its groups.
struct GroupFacts {
  bool has_header = false, more = false;
  bool lost = false;  // a line of which not even the number is known
  Report report;
};

class DumpedGroups : public openflow::GroupText {
 public:
  DumpedGroups(const Dump& dump, GroupFacts known)
      : facts(std::move(known)), source_(dump.source), text_(dump.text), compiled_(dump.compiled) {}

  Group read(const GroupPlace& place) const override {
    std::string buffer;
    const std::string_view text = reprinted_line(text_, place.offset, compiled_.get(), buffer);
    GroupLine line;
    TextError error;
    const bool read = read_group_line(text, line, error);
    if (!line.has_id || line.group.id != place.id) throw std::runtime_error("a line of the dump is not the group that it was");
    if (!read) make_unread(text, line.group);
    line.group.from = {source_, place.line};
    return std::move(line.group);
  }

  SourceId source() const { return source_; }

  const GroupFacts facts;

 private:
  SourceId source_;
  std::string_view text_;
  std::shared_ptr<const CompiledDump> compiled_;
};

using Forms = std::vector<std::vector<std::uint64_t>>;  // form_of() each line, piece by piece

std::vector<std::uint64_t> forms_of(std::string_view text) {
  std::vector<std::uint64_t> forms;
  Dump piece;
  piece.text = text;
  LineReader lines(piece);
  std::string buffer;
  for (Line line; lines.next(line);) forms.push_back(form_of(without_colour(line.text, buffer)));
  return forms;
}

class GroupLoader {
 public:
  GroupLoader(const Dump& dump, Report& report) : dump_(dump), report_(dump, report) {}

  std::vector<GroupPlace> load() {
    const auto forms = found_ahead<Forms>(dump_, read_groups_ahead);
    LineReader lines(dump_);
    Line line;
    for (const std::vector<std::uint64_t>& some : *forms)
      for (const std::uint64_t form : some)
        if (lines.next(line)) take(line, form);
    return std::move(places_);
  }

  GroupFacts facts;

 private:
  void take(const Line& line, std::uint64_t form) {
    const std::string_view text = without_colour(line.text, buffer_);
    const auto offset = static_cast<std::uint64_t>(line.text.data() - dump_.text.data());
    if (const auto id = known_kind(text, form)) {
      places_.push_back({*id, line.number, offset});
      return report_.understood();
    }
    ReplyHeader h;
    if (read_reply_header(text, h) || is_filler(text)) {
      if (!h.message.empty()) facts.has_header = true, facts.more = h.more;
      return report_.ignored();
    }
    TextError error;
    const bool read = read_group_line(text, group_, error);
    if (read && !group_.bad_actions) {
      good_forms_.insert(form);
      report_.understood();
    } else {
      report_.not_understood(line, error.column, error.message);
    }
    facts.lost = facts.lost || (!read && !group_.has_id);
    if (read || group_.has_id) places_.push_back({group_.group.id, line.number, offset});
  }

  // The number of a group in a line that differs in numbers only from one that was understood.
  std::optional<std::uint32_t> known_kind(std::string_view text, std::uint64_t form) const {
    constexpr std::string_view kBegin = "group_id=";
    const std::string_view s = trim_left(text);
    if (!s.starts_with(kBegin)) return std::nullopt;
    const QuickNumber id = quick_decimal(s.data() + kBegin.size(), s.data() + s.size());
    if (!id.behind || id.value > 0xffffffff || !good_forms_.contains(form)) return std::nullopt;
    return static_cast<std::uint32_t>(id.value);
  }

  const Dump& dump_;
  LineReport report_;
  GroupLine group_;
  std::string buffer_;
  std::vector<GroupPlace> places_;
  std::unordered_set<std::uint64_t> good_forms_;
};

std::vector<GroupPlace> open_groups(const Dump& dump, GroupFacts& facts) {
  const std::string_view found = dump.compiled->found();
  dump.compiled->check(found.data(), found.size());
  BinaryReader in(found);
  if (in.text() != kGroupSection) throw std::runtime_error("not what was found in a dump of groups");
  facts.has_header = in.number<std::uint8_t>() != 0;
  facts.more = in.number<std::uint8_t>() != 0;
  facts.lost = in.number<std::uint8_t>() != 0;
  read_report(in, dump.source, facts.report);
  const auto places = in.array<GroupPlace>();
  return {places.begin(), places.end()};
}

// So that the text of a group is found without going through all of the dump.
void mark_lines(const Dump& dump, const std::vector<GroupPlace>& places, SourceTable& sources) {
  if (dump.source == kNoSource || dump.source > sources.size()) return;
  std::vector<LineMark> marks{{dump.first_line, 0}};
  for (const GroupPlace& place : places)
    if (place.line > dump.first_line) marks.push_back({place.line, place.offset});
  std::sort(marks.begin(), marks.end(), [](const LineMark& a, const LineMark& b) { return a.line < b.line; });
  sources.mark_lines(dump.source, std::move(marks));
}

}  // namespace

CompiledPart compiled_groups(const openflow::GroupTable& groups) {
  const openflow::GroupTable::Origin origin = groups.only_origin();
  const auto* dumped = dynamic_cast<const DumpedGroups*>(origin.text.get());
  if (dumped == nullptr) return {};
  BinaryWriter out;
  out.text(kGroupSection);
  for (const bool fact : {dumped->facts.has_header, dumped->facts.more, dumped->facts.lost}) out.number<std::uint8_t>(fact);
  write_report(out, dumped->facts.report);
  out.array(std::span(*origin.places));
  return {dumped->source(), out.take()};
}

std::shared_ptr<void> read_groups_ahead(const Dump& dump) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;  // bytes
  const std::vector<std::string_view> pieces = pieces_of_lines(dump.text, kPiece);
  auto forms = std::make_shared<Forms>(pieces.size());
  for_each_index(pieces.size(), dump.jobs, 2, [&](std::size_t i) { (*forms)[i] = forms_of(pieces[i]); });
  return forms;
}

void load_groups(const Dump& dump, cluster::Cluster& cluster, cluster::Node& node, Report& report) {
  std::string name = bridge_of(dump, "dump-groups");
  if (name.empty()) name = bridge_by_file_name(dump, node);
  if (name.empty()) {
    name = kIntegrationBridge;  // no other bridge has groups in such clusters
    report.diagnostics.push_back({Diagnostic::Severity::note,
                                  {dump.source, dump.first_line},
                                  0,
                                  "no bridge is named for these groups; they are assumed to be those of " + name,
                                  {}});
  }
  if (const openflow::Bridge* known = node.bridge(name); known != nullptr && known->has_groups) {
    report.shown_by = known->groups_source;
    return;
  }
  GroupFacts facts;
  std::vector<GroupPlace> places;
  if (dump.compiled) {
    places = open_groups(dump, facts);
    take_over(facts.report, report);
  } else {
    const std::size_t before = report.diagnostics.size();
    GroupLoader loader(dump, report);
    places = loader.load();
    facts = loader.facts;
    facts.report = without_first(report, before);
  }
  mark_lines(dump, places, *cluster.sources);
  if (places.empty() && !facts.has_header) return;
  openflow::Bridge& bridge = ensure_bridge(node, name, {dump.source, dump.first_line});
  bridge.groups.add(std::make_shared<DumpedGroups>(dump, facts), std::move(places));
  bridge.has_groups = facts.has_header && !dump.partial && !facts.lost && !facts.more;
  bridge.groups_source = dump.source;
}

}  // namespace egt::parsers::ofctl
