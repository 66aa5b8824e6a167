// Connections of pods that are not answered, and that no other finding explains.
#include <fmt/format.h>

#include <map>
#include <tuple>

#include "common/evidence.h"
#include "triage/checks.h"

namespace egt::assess {
namespace connection_lost {

using explain::Direction;

// Connections that fail at one place, for one reason.
struct Loss {
  const AuditRow* first = nullptr;
  std::vector<const AuditRow*> rows;
  std::string object;   // that asks for it: "NetworkPolicy shop/deny"
};

// What connections of one loss have in common.
auto kind_of(const AuditRow& row) {
  const explain::StopReport& stop = *row.stopped_at;
  return std::make_tuple(row.fails, row.to_kind, stopped_for(stop), stop.node, stop.where, stop.reason);
}

bool is_lost(const AuditRow& row) { return !row.pod.empty() && row.stopped_at && is_failure(row); }

// What a policy asks for may be meant; what goes to a node by its address is rarely what applications do.
Severity severity_of(const Loss& loss) {
  return loss.object.empty() && loss.first->to_kind != "other node" ? Severity::error : Severity::note;
}

std::string packet_of(Direction direction) {
  switch (direction) {
    case Direction::request: return "the request";
    case Direction::reply: return "the reply";
    case Direction::later: return "the packet after the handshake";
  }
  return {};
}

void report(const Loss& loss, Findings& out) {
  const AuditRow& first = *loss.first;
  const explain::StopReport& stop = *first.stopped_at;
  const std::string sender = first.namespace_ + "/" + first.pod;
  const std::string others = loss.rows.size() == 1 ? "" : fmt::format(" and of {} more", loss.rows.size() - 1);
  out.weigh(severity_of(loss));
  out.add(fmt::format("Connections of pod {}{} to {} are not answered: {} is lost at {}, {}: {}{}.", sender, others, first.to,
                      packet_of(*first.fails), stop.node, stop.where, stop.why,
                      loss.object.empty() ? "" : fmt::format(" ({})", loss.object)),
          stop.node, loss.object, first.evidence,
          fmt::format("egtrace explain SNAPSHOT --from {} --to {}", sender, first.to));
}

void run(const Facts& f, Findings& out) {
  std::vector<Loss> losses;
  std::map<decltype(kind_of(f.connections().front())), std::size_t> places;   // in `losses`
  for (const AuditRow& row : f.connections()) {
    if (!is_lost(row) || (!row.object.empty() && out.has_cause(row.object)) || out.explains(*row.stopped_at)) continue;
    const auto [place, is_new] = places.emplace(kind_of(row), losses.size());
    if (is_new) losses.push_back({&row, {}, stopped_for(*row.stopped_at)});
    losses[place->second].rows.push_back(&row);
  }
  for (const Loss& loss : losses) report(loss, out);
}

}  // namespace connection_lost

const Check kConnectionLost{"connection-lost", "Connections of pods that are not answered", Severity::error, always,
                            connection_lost::run, Check::Finds::consequence};

}  // namespace egt::assess
