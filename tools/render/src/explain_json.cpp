#include "counted_words.h"
#include "counters.h"
#include "egtrace/explain/phrases.h"
#include "egtrace/render/explain.h"
#include "json_parts.h"

namespace egt::render {
namespace {

using namespace explain;

Json json(const std::optional<SeenAddress>& a) { return a ? Json{{"ip", a->ip}, {"port", or_null(a->port)}} : Json(nullptr); }

Json json(const std::vector<RowRef>& rows) {
  Json all = Json::array();
  for (const RowRef& r : rows)
    all.push_back({{"database", r.database},
                   {"table", r.table},
                   {"uuid", r.uuid},
                   {"name", r.name},
                   {"object", r.object.empty() ? Json(nullptr) : Json(to_text(r.object))},
                   {"evidence", evidence_json(r.evidence)}});
  return all;
}

Json json(const NatReport& n) {
  return {{"node", n.node},
          {"by", n.by},
          {"from", json(std::optional(n.from))},
          {"to", json(std::optional(n.to))},
          {"evidence", evidence_json(n.evidence)},
          {"rows", json(n.rows)}};
}

Json json(const engine::Tunnel& t) {
  return {{"from", t.from},
          {"to", t.to},
          {"type", t.type},
          {"vni", t.vni},
          {"ingress_key", t.ingress_key},
          {"egress_key", t.egress_key}};
}

Json json(const std::optional<StopReport>& s) {
  if (!s) return nullptr;
  return {{"node", s->node},      {"layer", s->layer},
          {"where", s->where},    {"reason", reason_name(s->reason)},
          {"why", s->why},        {"evidence", evidence_json(s->evidence)},
          {"rows", json(s->rows)}};
}

Json json(const SightingReport& s) {
  Json encap = nullptr;
  if (s.encap)
    encap = {
        {"type", s.encap->type}, {"src", s.encap->src.to_string()}, {"dst", s.encap->dst.to_string()}, {"vni", s.encap->vni}};
  return {{"node", s.node},
          {"device", s.device},
          {"dir", s.in ? "in" : "out"},
          {"src", s.src},
          {"dst", s.dst},
          {"proto", s.proto},
          {"sport", or_null(s.sport)},
          {"dport", or_null(s.dport)},
          {"ttl", s.ttl},
          {"smac", text_or_null(s.smac)},
          {"dmac", text_or_null(s.dmac)},
          {"encap", encap}};
}

Json json(const LflowRef& l) {
  return {{"uuid", l.uuid},
          {"datapath", l.datapath},
          {"stage", l.stage},
          {"priority", l.priority},
          {"match", l.match},
          {"actions", l.actions},
          {"source", l.source.empty() ? Json(nullptr) : Json(l.source)}};
}

std::vector<std::string> all_meanings(const Hop& h) {
  std::vector<std::string> all = h.means;
  all.insert(all.end(), h.registers.begin(), h.registers.end());
  return all;
}

Json json(const Hop& h) {
  Json changed = Json::object();
  for (const Change& c : h.changed) changed[c.field] = {c.before, c.after};
  Json j = {{"node", h.node},
            {"layer", h.layer},
            {"where", h.where},
            {"what", h.what},
            {"detail", h.detail},
            {"evidence", evidence_json(h.evidence)},
            {"lflow", h.lflows.empty() ? Json(nullptr) : json(h.lflows.front())},
            {"rows", json(h.rows)},
            {"changed", changed},
            {"means", all_meanings(h)}};
  if (h.of_refusal) j["of_refusal"] = true;
  if (h.lflows.size() > 1) {  // a cookie is 32 bits of a UUID: all that share it are named
    j["lflow_candidates"] = Json::array();
    for (const LflowRef& l : h.lflows) j["lflow_candidates"].push_back(json(l));
  }
  for (const NearMiss& p : h.near_misses)
    j["passed_over"].push_back({{"where", p.where}, {"why", p.why}, {"evidence", evidence_json(p.evidence)}});
  if (h.counted) j["counted"] = h.counted->packets;
  if (h.counted && h.counted->never())
    j["never_counted"] = {
        {"beside", h.counted->beside}, {"note", never_counted_words(h)}, {"evidence", evidence_json(h.counted->neighbour)}};
  return j;
}

Json json(const std::vector<AssumptionReport>& assumptions) {
  Json all = Json::array();
  for (const AssumptionReport& a : assumptions)
    all.push_back({{"what", a.what}, {"why", a.why}, {"evidence", evidence_json(a.evidence)}});
  return all;
}

Json json(const std::vector<Gap>& gaps) {
  Json all = Json::array();
  for (const Gap& g : gaps) all.push_back({{"node", g.node}, {"what", g.what}, {"command", g.command}});
  return all;
}

Json json(const PathReport& w);

Json json(const std::optional<Fault>& f) {
  if (!f) return nullptr;
  return {{"direction", name_of(f->direction)},
          {"node", f->at.node},
          {"layer", f->at.layer},
          {"where", f->at.where},
          {"reason", reason_name(f->at.reason)},
          {"why", f->at.why},
          {"summary", f->summary},
          {"evidence", evidence_json(f->at.evidence)},
          {"next", f->next.empty() ? Json(nullptr) : Json(f->next)}};
}

Json json(const std::optional<Cause>& c) {
  if (!c) return nullptr;
  return {{"finding", c->finding}, {"claim", c->claim}, {"next", c->next}, {"evidence", evidence_json(c->evidence)}};
}

Json json(const IntentViolation& d) {
  return {{"object", d.object}, {"expected", d.expected}, {"found", d.found}, {"evidence", evidence_json(d.evidence)}};
}

Json json(const StageDifference& d) {
  return {{"direction", name_of(d.direction)},
          {"node", d.node},
          {"realised", d.realised ? json(*d.realised) : Json()},
          {"intended", d.intended ? json(*d.intended) : Json()}};
}

Json json(const NotChecked& n) {
  return {{"what", n.what}, {"why", n.why}, {"command", n.command.empty() ? Json(nullptr) : Json(n.command)}};
}

template <class T>
Json list(const std::vector<T>& items) {
  Json all = Json::array();
  for (const T& item : items) all.push_back(json(item));
  return all;
}

Json json(const std::optional<CrossCheck>& c) {
  if (!c) return nullptr;
  return {{"stages", c->stages}, {"differences", list(c->differences)}};
}

// Replies hold paths without replies of their own, so this recursion ends after one level.
Json json(const PathReport& w) {
  Json j = {{"verdict", explain::name_of(w.verdict)},
            {"confidence", name_of(w.confidence)},
            {"weight", or_null(w.weight)},
            {"summary", w.summary}};
  j["choices"] = Json::array();
  for (const ChoiceReport& c : w.choices) {
    Json choice = {{"hop", c.hop}, {"what", c.what}, {"chosen", c.chosen}};
    if (c.unknown) choice["why"] = c.why;
    j["choices"].push_back(choice);
  }
  j["egress"] = w.egress ? Json{{"node", w.egress->node}, {"device", w.egress->device}} : Json(nullptr);
  j["source_seen"] = json(w.source_seen);
  j["destination_seen"] = json(w.destination_seen);
  j["snat"] = list(w.snat);
  j["dnat"] = list(w.dnat);
  j["tunnels"] = list(w.tunnels);
  j["stopped_at"] = json(w.stopped_at);
  j["sightings"] = list(w.sightings);
  j["hops"] = list(w.hops);
  j["assumptions"] = json(w.assumptions);
  j["gaps"] = json(w.gaps);
  const auto follow_up = [](const FollowUp& f) {
    return Json{{"verdict", explain::name_of(f.verdict)},
                {"confidence", name_of(f.confidence)},
                {"summary", f.summary},
                {"paths", list(f.paths)}};
  };
  for (const FollowUp& reply : w.reply) j["reply"] = follow_up(reply);
  for (const FollowUp& next : w.continued) j["continued"] = follow_up(next);
  return j;
}

// Of an outcome; one that the dumps do not decide has none.
Json confidence_json(Outcome outcome, bool proven) {
  if (outcome == Outcome::undecided) return nullptr;
  return proven ? "proven" : "assumed";
}

}  // namespace

std::string explain_json(const Explanation& e) {
  Json j;
  j["schema"] = "egtrace.explain/2";
  j["packet"] = {{"src", e.packet.src},
                 {"dst", e.packet.dst},
                 {"proto", e.packet.proto},
                 {"sport", or_null(e.packet.sport)},
                 {"dport", or_null(e.packet.dport)}};
  j["from"] = end_json(e.from);
  j["to"] = end_json(e.to);
  j["outcome"] = name_of(e.outcome);
  j["confidence"] = confidence_json(e.outcome, e.confidence == Confidence::proven);
  j["intent"] = {{"kept", or_null(e.intent.kept)}, {"violations", list(e.intent.violations)}};
  j["fault"] = json(e.fault);
  j["cause"] = json(e.cause);
  if (e.fault) j["fault"]["cause"] = json(e.cause);
  if (!e.counters.empty()) j["counters"] = counters_json(e.counters);
  j["listener"] = name_of(e.listener);
  j["verdict"] = explain::name_of(e.verdict);
  j["summary"] = e.summary;
  j["truncated"] = e.truncated;
  j["checked"] = e.checked;
  j["not_checked"] = list(e.not_checked);
  j["largest_packet"] = nullptr;
  if (e.largest)
    j["largest_packet"] = {{"bytes", e.largest->bytes},
                           {"node", e.largest->node},
                           {"device", e.largest->device},
                           {"by", e.largest->by_flow ? "flow" : "mtu"},
                           {"evidence", evidence_json(e.largest->evidence)}};
  j["cross_check"] = json(e.cross_check);
  j["paths"] = Json::array();
  for (const PathReport& path : e.paths) {
    Json p = json(path);
    p["outcome"] = name_of(path.outcome);
    p["confidence"] = confidence_json(path.outcome, path.proven);
    p["listener"] = name_of(path.listener);
    j["paths"].push_back(std::move(p));
  }
  j["assumptions"] = json(e.assumptions);
  j["gaps"] = json(e.gaps);
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace egt::render
