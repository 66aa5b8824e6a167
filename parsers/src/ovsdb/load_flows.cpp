// Logical flows of a database file: the table that is large, read without a Datum for every column.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <numeric>

#include "egtrace/base/parallel.h"
#include "egtrace/base/text.h"
#include "egtrace/ovn/southbound.h"
#include "ovsdb/database.h"
#include "ovsdb/load.h"

namespace egt::parsers::ovsdb {
namespace {

using ovn::Uuid;

// Owns the texts that stand in the file with escapes.
class Texts {
 public:
  std::string_view view(std::string_view raw) {
    if (!has_escapes(raw)) return raw;
    if (blocks_.empty() || blocks_.back().capacity() - blocks_.back().size() < raw.size()) {
      blocks_.emplace_back();
      blocks_.back().reserve(std::max(kBlock, raw.size()));
    }
    std::string& block = blocks_.back();
    const std::size_t begin = block.size();
    append_unescaped(raw, block);  // never longer than what it is made of
    return std::string_view(block).substr(begin);
  }
  std::string_view own(const std::string& text) {
    blocks_.emplace_front(text);
    return blocks_.front();
  }

 private:
  static constexpr std::size_t kBlock = 1 << 20;
  std::deque<std::string> blocks_;
};

std::string_view uuid_value(JsonCursor& c) {
  std::string_view uuid;
  if (!c.take('[')) return c.value(), uuid;
  const auto tag = c.raw_string();
  if (tag && *tag == "uuid" && c.take(',')) {
    uuid = c.raw_string().value_or("");
    return c.take(']') ? uuid : std::string_view{};
  }
  if (tag && *tag == "set" && c.take(',') && !c.value().empty() && c.take(']')) return uuid;
  return {};
}

std::string_view string_value(JsonCursor& c) { return c.raw_string().value_or(""); }

void take_ids(JsonCursor& c, Texts& texts, ovn::LogicalFlow& flow, ovn::FlowOrigin& origin) {
  if (!c.take('[') || string_value(c) != "map" || !c.take(',')) return;
  for_each_element(c, [&](JsonCursor& pair) {
    if (!pair.take('[')) return false;
    const std::string_view key = string_value(pair);
    if (!pair.take(',')) return false;
    const auto value = pair.raw_string();
    if (!value) return false;
    if (key == "stage-name") flow.stage = texts.view(*value);
    if (key == "stage-hint") origin.stage_hint = texts.view(*value);
    if (key == "source") origin.source = texts.view(*value);
    return pair.take(']');
  });
  c.take(']');
}

struct ReadFlow {
  ovn::LogicalFlow flow;
  ovn::FlowOrigin origin;
  std::string_view datapath, group;  // UUIDs
};

// False where the row is damaged.
bool read_row(std::string_view json, Texts& texts, ReadFlow& read) {
  ovn::LogicalFlow& flow = read.flow;
  JsonCursor c(json);
  return for_each_member(c, [&](std::string_view name, JsonCursor& v) {
    if (name == "match" || name == "actions") {
      const auto raw = v.raw_string();
      if (raw) (name == "match" ? flow.match : flow.actions) = texts.view(*raw);
      return raw.has_value();
    }
    const std::string_view value = v.value();
    JsonCursor of(value);
    if (name == "logical_datapath")
      read.datapath = uuid_value(of);
    else if (name == "logical_dp_group")
      read.group = uuid_value(of);
    else if (name == "pipeline")
      flow.ingress = string_value(of) != "egress";
    else if (name == "table_id")
      flow.table = static_cast<std::uint8_t>(parse_decimal(value).value_or(0));
    else if (name == "priority")
      flow.priority = static_cast<std::uint16_t>(parse_decimal(value).value_or(0));
    else if (name == "external_ids")
      take_ids(of, texts, flow, read.origin);
    return !value.empty();
  });
}

// A row that was changed after it was inserted, which hardly ever happens: northd replaces rows.
void read_changed(const StoredTable& table, const StoredRow& row, Texts& texts, ReadFlow& read) {
  std::size_t damaged = 0;
  const Record record = table.record(row, damaged);
  const auto text = [&](std::string_view column) { return texts.own(record.text(column)); };
  ovn::LogicalFlow& flow = read.flow;
  flow.match = text("match");
  flow.actions = text("actions");
  flow.ingress = record.text("pipeline") != "egress";
  flow.table = static_cast<std::uint8_t>(parse_decimal(record.text("table_id")).value_or(0));
  flow.priority = static_cast<std::uint16_t>(parse_decimal(record.text("priority")).value_or(0));
  read.datapath = text("logical_datapath");
  read.group = text("logical_dp_group");
  for (const auto& [key, value] : record.map("external_ids")) {
    if (key == "stage-name") flow.stage = texts.own(value);
    if (key == "stage-hint") read.origin.stage_hint = texts.own(value);
    if (key == "source") read.origin.source = texts.own(value);
  }
}

// How flows name their datapaths.
class Datapaths {
 public:
  Datapaths(const DatabaseFile& file, const ovn::Ovn& ovn, Texts& texts) {
    for (const ovn::Datapath& d : ovn.datapaths)
      if (!d.uuid.empty() && !d.name.empty()) names_.emplace(texts.own(d.uuid), texts.own(d.name));
    const StoredTable* groups = file.table("Logical_DP_Group");
    if (!groups) return;
    std::size_t damaged = 0;
    for (const StoredRow& row : groups->rows) {
      ovn::NamedGroup group{std::string(row.uuid), {}};
      const Record record = groups->record(row, damaged);
      if (const Datum* members = record.find("datapaths"))
        for (const std::string& uuid : members->texts()) group.datapaths.emplace_back(name(texts.own(uuid)));
      groups_.emplace(row.uuid, static_cast<std::uint32_t>(ovn.southbound->named_groups.size()));
      ovn.southbound->named_groups.push_back(std::move(group));
    }
  }

  void place(ReadFlow& read) const {
    if (!read.datapath.empty()) read.flow.datapath = name(read.datapath);
    if (const auto it = groups_.find(read.group); it != groups_.end()) read.origin.group = it->second;
  }

 private:
  std::string_view name(std::string_view uuid) const {
    const auto it = names_.find(uuid);
    return it == names_.end() ? uuid : it->second;
  }

  std::unordered_map<std::string_view, std::string_view> names_;
  std::unordered_map<std::string_view, std::uint32_t> groups_;
};

ovn::sb::LogicalFlow typed(const ReadFlow& read) {
  const ovn::LogicalFlow& f = read.flow;
  ovn::sb::LogicalFlow flow;
  flow.uuid = Uuid::parse(f.uuid).value_or(Uuid{});
  flow.datapath = Uuid::parse(read.datapath).value_or(Uuid{});
  flow.datapath_group = Uuid::parse(read.group).value_or(Uuid{});
  flow.ingress = f.ingress;
  flow.table = f.table;
  flow.priority = f.priority;
  flow.match = f.match;
  flow.actions = f.actions;
  flow.stage = f.stage;
  flow.source = read.origin.source;
  flow.stage_hint = read.origin.stage_hint;
  flow.from = f.from;
  return flow;
}

// Reads pieces of the table on several threads. With `typed_only` Ovn::logical_flows stays empty.
class FlowLoader {
 public:
  FlowLoader(const StoredTable& table, const std::vector<Provenance>& from, const Datapaths& datapaths, bool typed_only,
             ovn::Ovn& ovn)
      : table_(table),
        from_(from),
        datapaths_(datapaths),
        typed_only_(typed_only),
        flows_(ovn.logical_flows.edit()),
        typed_(ovn.southbound->logical_flows.edit()),
        begin_(typed_.size()) {
    typed_.resize(begin_ + table.rows.size());
    if (typed_only) return;
    flows_.resize(table.rows.size());
  }

  // Gives the number of damaged rows; what owns the flows' texts goes into `keep`.
  std::size_t load(unsigned jobs, std::vector<std::shared_ptr<const void>>& keep) const {
    const std::size_t pieces = (table_.rows.size() + kPiece - 1) / kPiece;
    std::vector<std::size_t> damaged(pieces);
    std::vector<std::shared_ptr<Texts>> texts(pieces);
    for_each_index(pieces, jobs, 1, [&](std::size_t piece) {
      texts[piece] = std::make_shared<Texts>();
      damaged[piece] = load_piece(piece, *texts[piece]);
    });
    keep.insert(keep.end(), texts.begin(), texts.end());
    return std::accumulate(damaged.begin(), damaged.end(), std::size_t{0});
  }

 private:
  static constexpr std::size_t kPiece = 4096;

  std::size_t load_piece(std::size_t piece, Texts& texts) const {
    std::size_t damaged = 0;
    const std::size_t end = std::min(table_.rows.size(), (piece + 1) * kPiece);
    for (std::size_t i = piece * kPiece; i < end; ++i) damaged += !load_row(i, texts);
    return damaged;
  }
  bool load_row(std::size_t i, Texts& texts) const {
    const StoredRow& row = table_.rows[i];
    ReadFlow read;
    bool whole = true;
    if (row.changed.empty())
      whole = read_row(row.json, texts, read);
    else
      read_changed(table_, row, texts, read);
    read.flow.uuid = row.uuid;
    read.flow.from = from_[i];
    typed_[begin_ + i] = typed(read);
    if (typed_only_) return whole;
    if (const std::uint32_t prefix = ovn::uuid_prefix(row.uuid); prefix != 0) read.flow.uuid_prefix = prefix;
    datapaths_.place(read);
    read.flow.origin = read.origin;
    flows_[i] = read.flow;
    return whole;
  }

  const StoredTable& table_;
  const std::vector<Provenance>& from_;
  const Datapaths& datapaths_;
  const bool typed_only_;
  std::vector<ovn::LogicalFlow>& flows_;
  std::vector<ovn::sb::LogicalFlow>& typed_;
  const std::size_t begin_;  // behind rows that lists showed
};

}  // namespace

void load_stored_flows(const DatabaseFile& file, const Dump& dump, const std::vector<Provenance>& from, bool typed_only,
                       ovn::Ovn& ovn, Report& report) {
  const StoredTable* table = file.table("Logical_Flow");
  if (!table || !ovn.logical_flows.empty() || (typed_only && ovn.has_logical_flows)) return;
  if (!ovn.southbound) ovn.southbound = std::make_shared<ovn::Southbound>();
  ovn::Southbound& sb = *ovn.southbound;
  auto names = std::make_shared<Texts>();
  const Datapaths datapaths(file, ovn, *names);
  sb.kept_text.push_back(names);
  const FlowLoader loader(*table, from, datapaths, typed_only, ovn);
  const std::size_t damaged = loader.load(dump.jobs, sb.kept_text);
  if (damaged > 0)
    report.diagnostics.push_back({Diagnostic::Severity::warning,
                                  {dump.source, 1},
                                  0,
                                  fmt::format("{} logical flows are damaged", damaged),
                                  "copy the database again"});
  if (!file.partial && damaged == 0) sb.complete.emplace("Logical_Flow", Provenance{dump.source, 1});
  ovn.has_logical_flows = true;
  if (!typed_only) sb.flow_database = {dump.source, 1};
}

}  // namespace egt::parsers::ovsdb
