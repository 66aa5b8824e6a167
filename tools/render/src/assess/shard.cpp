#include "egtrace/render/shard.h"

#include <fmt/format.h>

#include <array>
#include <exception>
#include <stdexcept>

#include "json_parts.h"

namespace egt::render {
namespace {

using namespace assess;
using explain::Confidence;
using explain::Direction;

constexpr const char* kSchema = "egtrace.shard/1";
constexpr std::array kDirections = {Direction::request, Direction::reply, Direction::later};

// --- writing

// In their order; a name may come twice.
Json pairs_json(const std::vector<Property>& properties) {
  Json all = Json::array();
  for (const Property& p : properties) all.push_back({p.name, p.value});
  return all;
}

Json judgement_json(const Judgement& j) {
  return {{"holds", or_null(j.holds)},
          {"why", j.why},
          {"reason", j.reason},
          {"seen", pairs_json(j.seen)},
          {"evidence", evidence_json(j.evidence)},
          {"gaps", gaps_json(j.gaps)}};
}

Json report_json(const PlacedReport& placed) {
  const ExpectationReport& r = placed.report;
  Json cases = Json::array();
  for (const CaseReport& c : r.cases)
    cases.push_back({{"from", c.from}, {"to", c.to}, {"judgement", judgement_json(c.judgement)}});
  return {{"place", placed.place},
          {"name", r.name},
          {"line", r.line},
          {"object", evidence_json(r.object)},
          {"expected", pairs_json(r.expected)},
          {"cases", cases},
          {"overall", judgement_json(r.overall)}};
}

Json row_json(const AuditRow& r) {
  return {
      {"order", r.order},
      {"pod", r.pod},
      {"namespace", r.namespace_},
      {"node", r.node},
      {"ip", r.ip},
      {"to", r.to},
      {"to_kind", name_of(r.to_kind)},
      {"outcome", name_of(r.outcome)},
      {"verdict", name_of(r.verdict)},
      {"proven", r.confidence == Confidence::proven},
      {"fails", r.fails ? Json(name_of(*r.fails)) : Json(nullptr)},
      {"source_seen", r.source_seen ? Json{{"ip", r.source_seen->ip}, {"port", or_null(r.source_seen->port)}} : Json(nullptr)},
      {"egress_node", r.egress_node},
      {"egress_device", r.egress_device},
      {"decided_by", r.decided_by},
      {"evidence", evidence_json(r.evidence)},
      {"object", r.object},
      {"leak", r.leak},
      {"expected", r.expected},
      {"service_moved", r.service_moved}};
}

// --- reading: at() and get() throw where the file is not as it was written

std::string text(const Json& j, const char* key) { return j.at(key).get<std::string>(); }

explain::Evidence evidence_of(const Json& lines) {
  explain::Evidence evidence;
  for (const Json& e : lines) evidence.push_back({text(e, "dump"), e.at("line").get<std::uint32_t>(), text(e, "text")});
  return evidence;
}

std::vector<Property> properties_of(const Json& all) {
  std::vector<Property> properties;
  for (const Json& p : all) properties.push_back({p.at(0).get<std::string>(), p.at(1).get<std::string>()});
  return properties;
}

std::vector<Gap> gaps_of(const Json& all) {
  std::vector<Gap> gaps;
  for (const Json& g : all) gaps.push_back({text(g, "node"), text(g, "what"), text(g, "command")});
  return gaps;
}

Judgement judgement_of(const Json& j) {
  Judgement judgement{
      std::nullopt,         text(j, "why"), text(j, "reason"), properties_of(j.at("seen")), evidence_of(j.at("evidence")),
      gaps_of(j.at("gaps"))};
  if (!j.at("holds").is_null()) judgement.holds = j.at("holds").get<bool>();
  return judgement;
}

PlacedReport report_of(const Json& j) {
  PlacedReport placed;
  placed.place = j.at("place").get<std::size_t>();
  ExpectationReport& r = placed.report;
  r.name = text(j, "name");
  r.line = j.at("line").get<std::uint32_t>();
  r.object = evidence_of(j.at("object"));
  r.expected = properties_of(j.at("expected"));
  for (const Json& c : j.at("cases")) r.cases.push_back({text(c, "from"), text(c, "to"), judgement_of(c.at("judgement"))});
  r.overall = judgement_of(j.at("overall"));
  return placed;
}

template <class T>
T known(const std::optional<T>& value, const Json& j, const char* key) {
  if (!value) throw std::out_of_range(fmt::format("{} '{}'", key, text(j, key)));
  return *value;
}

AuditRow row_of(const Json& j) {
  AuditRow r;
  r.order = j.at("order").get<std::size_t>();
  r.pod = text(j, "pod");
  r.namespace_ = text(j, "namespace");
  r.node = text(j, "node");
  r.ip = text(j, "ip");
  r.to = text(j, "to");
  r.to_kind = known(assess::parse_target(text(j, "to_kind")), j, "to_kind");
  r.outcome = known(parse_outcome(text(j, "outcome")), j, "outcome");
  r.verdict = known(parse_verdict(text(j, "verdict")), j, "verdict");
  r.confidence = j.at("proven").get<bool>() ? Confidence::proven : Confidence::assumed;
  for (const Direction d : kDirections)
    if (j.at("fails") == name_of(d)) r.fails = d;
  if (const Json& seen = j.at("source_seen"); !seen.is_null()) {
    r.source_seen = explain::SeenAddress{text(seen, "ip"), std::nullopt};
    if (!seen.at("port").is_null()) r.source_seen->port = seen.at("port").get<std::uint16_t>();
  }
  r.egress_node = text(j, "egress_node");
  r.egress_device = text(j, "egress_device");
  r.decided_by = text(j, "decided_by");
  r.evidence = evidence_of(j.at("evidence"));
  r.object = text(j, "object");
  r.leak = j.at("leak").get<bool>();
  r.expected = text(j, "expected");
  r.service_moved = j.at("service_moved").get<bool>();
  return r;
}

ShardResult result_of(const Json& j) {
  ShardResult result;
  ShardHead& head = result.head;
  head.verb = text(j, "verb");
  head.version = text(j, "version");
  head.snapshot = text(j, "snapshot");
  for (const auto& [name, value] : j.at("options").items()) head.options[name] = value.get<std::string>();
  head.shard = {j.at("shard").get<unsigned>(), j.at("of").get<unsigned>()};
  if (head.shard.index >= head.shard.count) throw std::out_of_range("shard");
  for (const Json& row : j.at("rows")) result.rows.push_back(row_of(row));
  for (const Json& report : j.at("reports")) result.reports.push_back(report_of(report));
  return result;
}

}  // namespace

bool ShardHead::belongs_to(const ShardHead& other) const {
  return verb == other.verb && version == other.version && snapshot == other.snapshot && options == other.options &&
         shard.count == other.shard.count;
}

std::string shard_json(const ShardResult& result) {
  const ShardHead& head = result.head;
  Json j = {{"schema", kSchema},         {"verb", head.verb},       {"version", head.version},
            {"snapshot", head.snapshot}, {"options", head.options}, {"shard", head.shard.index},
            {"of", head.shard.count},    {"rows", Json::array()},   {"reports", Json::array()}};
  for (const AuditRow& row : result.rows) j["rows"].push_back(row_json(row));
  for (const PlacedReport& report : result.reports) j["reports"].push_back(report_json(report));
  return dump_json(j);
}

Result<ShardResult> read_shard(std::string_view text) {
  const Json j = Json::parse(text, nullptr, false);
  if (j.is_discarded() || !j.is_object() || j.value("schema", "") != kSchema)
    return Error{"this is no result of a shard; write one with --shard I/N -o FILE"};
  try {
    return result_of(j);
  } catch (const std::exception& broken) {
    return Error{fmt::format("this result of a shard is broken: {}", broken.what())};
  }
}

}  // namespace egt::render
