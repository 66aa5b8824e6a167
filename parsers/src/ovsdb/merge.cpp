#include <fmt/format.h>

#include <algorithm>

#include "egtrace/base/text.h"
#include "ovsdb/load.h"

namespace egt::parsers::ovsdb {
namespace {

bool has_name(const std::string& datapath) { return !datapath.empty() && !is_uuid(datapath); }

// "10.0.0.1/32" and "10.0.0.1", "FD00::1" and "fd00::1" are the same; nothing else is touched.
std::string comparable(std::string_view printed) {
  const auto datum = parse_datum(printed);
  if (!datum) return std::string(printed);
  std::string all;
  for (const std::string& text : datum->texts()) {
    const auto prefix = Prefix::parse(text);
    all += prefix ? prefix->to_short_string() : text;
    all.push_back('\n');
  }
  return all;
}

std::string shortened(std::string_view value) {
  constexpr std::size_t kShown = 60;
  return value.size() <= kShown ? std::string(value) : std::string(value.substr(0, kShown)) + "…";
}

bool same_router_or_unknown(const ovn::Row& a, const ovn::Row& b) {
  const auto x = a.columns.find("router"), y = b.columns.find("router");
  return !x || !y || *x == *y;
}

// Sets and maps are the same in any order.
bool same_value(std::string_view a, std::string_view b) {
  if (a == b) return true;
  const auto x = parse_datum(a), y = parse_datum(b);
  if (!x || !y || x->keys.size() != y->keys.size()) return false;
  if (x->values.empty() && y->values.empty()) {
    auto xs = x->texts(), ys = y->texts();
    std::sort(xs.begin(), xs.end());
    std::sort(ys.begin(), ys.end());
    return xs == ys;
  }
  return x->as_map() == y->as_map();
}

}  // namespace

ovn::Datapath& ensure_datapath(ovn::Ovn& ovn, std::string_view name, std::string_view uuid, bool is_router, Provenance from) {
  const auto same = [&](const ovn::Datapath& d) {
    if (!uuid.empty() && !d.uuid.empty()) return d.uuid == uuid;
    return !name.empty() && d.name == name && d.is_router == is_router;
  };
  auto it = std::find_if(ovn.datapaths.begin(), ovn.datapaths.end(), same);
  if (it == ovn.datapaths.end()) {
    ovn.datapaths.push_back({std::string(name), std::string(uuid), std::nullopt, is_router, from});
    return ovn.datapaths.back();
  }
  if (it->uuid.empty()) it->uuid = std::string(uuid);
  if (it->name.empty()) it->name = std::string(name);
  it->is_router |= is_router;
  return *it;
}

ovn::Chassis& ensure_chassis(ovn::Ovn& ovn, const std::string& name, Provenance from) {
  const auto it = std::find_if(ovn.chassis.begin(), ovn.chassis.end(), [&](const ovn::Chassis& c) { return c.name == name; });
  if (it != ovn.chassis.end()) return *it;
  ovn.chassis.push_back({name, {}, {}, false, from});
  return ovn.chassis.back();
}

void merge_port(ovn::LogicalPort& known, const ovn::LogicalPort& more, bool realised) {
  const auto take = [realised](std::string& a, const std::string& b) {
    if (a.empty() || (realised && !b.empty())) a = b;
  };
  take(known.type, more.type);
  if (!has_name(known.datapath) || (realised && has_name(more.datapath))) {
    if (!more.datapath.empty()) known.datapath = more.datapath;
  }
  take(known.chassis, more.chassis);
  known.on_router |= more.on_router;
  known.may_have_others |= more.may_have_others;
  if (more.tunnel_key && (realised || !known.tunnel_key)) known.tunnel_key = more.tunnel_key;
  if (known.peer.empty()) known.peer = more.peer;
  if (more.tag != 0 && (realised || known.tag == 0)) known.tag = more.tag;
  if (!known.mac) known.mac = more.mac;
  for (const Prefix& p : more.addresses)
    if (std::find(known.addresses.begin(), known.addresses.end(), p) == known.addresses.end()) known.addresses.push_back(p);
  known.external_ids.insert(more.external_ids.begin(), more.external_ids.end());
  if (!known.from.known()) known.from = more.from;
}

namespace {

void name_datapaths(ovn::Ovn& ovn) {
  std::map<std::string_view, const ovn::Datapath*> by_uuid;
  for (const ovn::Datapath& d : ovn.datapaths)
    if (!d.uuid.empty() && !d.name.empty()) by_uuid.emplace(d.uuid, &d);
  for (ovn::LogicalPort& port : ovn.ports) {
    const auto it = by_uuid.find(port.datapath);
    if (it == by_uuid.end()) continue;
    port.on_router |= it->second->is_router;
    port.datapath = it->second->name;
  }
}

void pair_peers(ovn::Ovn& ovn) {
  std::map<std::string_view, ovn::LogicalPort*> without_peer;
  for (ovn::LogicalPort& port : ovn.ports)
    if (port.peer.empty()) without_peer.emplace(port.name, &port);
  for (const ovn::LogicalPort& port : ovn.ports) {
    const auto it = port.peer.empty() ? without_peer.end() : without_peer.find(port.peer);
    if (it != without_peer.end() && it->second->peer.empty()) it->second->peer = port.name;
  }
}

}  // namespace

void settle_ports(ovn::Ovn& ovn) {
  name_datapaths(ovn);
  pair_peers(ovn);
}

void add_addresses(std::string_view text, ovn::LogicalPort& port) {
  for (const std::string_view word : words(text)) {
    if (const auto mac = MacAddr::parse(word)) {
      if (!port.mac) port.mac = mac;
    } else if (const auto prefix = Prefix::parse(word)) {
      port.addresses.push_back(*prefix);
    } else {
      port.may_have_others |= word == "unknown" || word == "dynamic";
    }
  }
}

std::optional<std::uint32_t> u32_of(std::optional<std::int64_t> number) {
  return number && *number >= 0 && *number <= 0xffffffffLL ? std::optional(static_cast<std::uint32_t>(*number)) : std::nullopt;
}

RowMerger::RowMerger(ovn::Rows& rows, std::string_view database, std::string_view table, std::vector<std::string> key)
    : database_(database), table_(table), rows_(rows.table(database, table).rows().edit()), key_(std::move(key)) {
  for (std::size_t i = 0; i < rows_.size(); ++i) index(i);
}

std::string RowMerger::key_of(const ovn::Row& row) const {
  std::string all;
  for (const std::string& column : key_) {
    const auto text = row.columns.find(column);
    all += text ? comparable(*text) : std::string();
    all.push_back('\0');
  }
  return all;
}

void RowMerger::index(std::size_t i) {
  if (rows_[i].uuid.empty())
    ++unnamed_;
  else
    by_uuid_.emplace(rows_[i].uuid, i);
}

void RowMerger::index_keys() {
  for (; keyed_ < rows_.size(); ++keyed_) by_key_.emplace(key_of(rows_[keyed_]), keyed_);
}

ovn::Row* RowMerger::same_row(const ovn::Row& row) {
  if (const auto it = by_uuid_.find(row.uuid); !row.uuid.empty() && it != by_uuid_.end()) return &rows_[it->second];
  if (key_.empty() || (!row.uuid.empty() && unnamed_ == 0)) return nullptr;
  index_keys();
  const auto [first, last] = by_key_.equal_range(key_of(row));
  for (auto it = first; it != last; ++it) {
    ovn::Row& known = rows_[it->second];
    const bool one_unnamed = known.uuid.empty() || row.uuid.empty();
    if (one_unnamed && same_router_or_unknown(known, row)) return &known;
  }
  return nullptr;
}

void RowMerger::merge(ovn::Row& known, const ovn::Row& more, Report* report) const {
  if (known.uuid.empty()) known.uuid = more.uuid;
  for (const auto& [name, value] : more.columns) {
    if (known.columns.add(name, value)) continue;
    const bool in_key = std::find(key_.begin(), key_.end(), name) != key_.end();
    const std::string_view counts = known.columns.find(name).value_or(std::string_view());
    if (in_key || !report || same_value(counts, value)) continue;
    report->diagnostics.push_back({Diagnostic::Severity::warning, more.from, 0,
                                   fmt::format("{} {} {}: {} here, {} in another dump, which counts", table_, known.uuid, name,
                                               shortened(value), shortened(counts)),
                                   "take both dumps at one time"});
    known.columns.add(std::string(name) + " (other dump)", value);
  }
}

void RowMerger::add(ovn::Row row, Report* report) {
  row.database = database_;
  row.table = table_;
  if (ovn::Row* known = same_row(row)) {
    const bool was_unnamed = known->uuid.empty();
    merge(*known, row, report);
    if (was_unnamed && !known->uuid.empty()) {
      by_uuid_.emplace(known->uuid, static_cast<std::size_t>(known - rows_.data()));
      --unnamed_;
    }
    return;
  }
  rows_.push_back(std::move(row));
  index(rows_.size() - 1);
}

std::vector<std::string> key_columns(std::string_view table) {
  if (table == "NAT") return {"type", "external_ip", "logical_ip", "external_port_range", "external_mac", "match"};
  if (table == "Logical_Router_Policy") return {"priority", "match", "action", "nexthops"};
  if (table == "Logical_Router_Static_Route") return {"ip_prefix", "nexthop", "policy", "output_port", "route_table"};
  if (table == "ACL") return {"direction", "priority", "match", "action"};
  return {};
}

}  // namespace egt::parsers::ovsdb
