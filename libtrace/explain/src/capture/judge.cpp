#include "judge.h"

#include <fmt/format.h>

#include <optional>
#include <set>

#include "egtrace/packet/packet.h"
#include "near_part.h"
#include "prediction.h"
#include "remarks.h"
#include "seen_list.h"

namespace egt::explain::capture_study {
namespace {

const std::string kReset = "TCP reset";

bool is_tcp(const Flow& flow) { return flow.proto == ip_proto::tcp; }
bool must_be_answered(const Flow& flow) { return is_tcp(flow) || flow.proto == ip_proto::icmp || flow.proto == ip_proto::icmp6; }

EndReport own(const OwnEnds& ends, EndReport end) {
  end.ip = ends.in_place_of(end.ip);
  end.name = ends.in_text(std::move(end.name));
  return end;
}

// Whatever became of it.
FlowReport described(const Flow& flow, const FlowParts& parts, const Forecast& forecast) {
  FlowReport out;
  const FlowPart& first = parts.opening.empty() ? flow.parts.front() : *parts.opening.front();
  const Ends sent = forecast.explanation != nullptr ? forecast.ends.own : first.reply ? first.ends.reversed() : first.ends;
  out.packet.src = sent.src.to_string();
  out.packet.dst = sent.dst.to_string();
  out.packet.proto = proto_name(flow.proto, sent.src.family);
  if (carries_ports(flow.proto)) {
    out.packet.sport = sent.sport;
    out.packet.dport = sent.dport;
  }
  if (forecast.explanation != nullptr) {
    out.from = own(forecast.ends, forecast.explanation->from);
    out.to = own(forecast.ends, forecast.explanation->to);
    if (!forecast.translated_by.empty()) out.from = {"ip", "", "", out.packet.src};
  } else {
    out.from = {"ip", "", "", out.packet.src};
    out.to = {"ip", "", "", out.packet.dst};
  }
  out.time = flow.start;
  if (forecast.forward.path != nullptr && forecast.matched > 0) out.predicted = forecast.forward.path->outcome;
  out.not_walked = forecast.is_not_walked();
  return out;
}

FlowProgress progress_along(const FlowParts& parts, const Forecast& forecast) {
  return {progress_of(parts.opening, forecast.forward.rows), progress_of(parts.answer, forecast.reply.rows),
          progress_of(parts.later, forecast.later().rows)};
}

std::optional<LastSeenReport> last_seen(const FlowPart* part) {
  if (part == nullptr) return std::nullopt;
  using capture::Direction;
  const Direction d = part->place.direction;
  return LastSeenReport{part->place.node(), part->place.device(), d == Direction::in ? "in" : d == Direction::out ? "out" : ""};
}

class Judge {
 public:
  Judge(const Flow& flow, const Forecast& forecast, const std::vector<File>& files)
      : flow_(flow),
        forecast_(forecast),
        files_(files),
        parts_(parts_of(flow)),
        progress_(progress_along(parts_, forecast)),
        near_(progress_.forward, files),
        out_(described(flow, parts_, forecast)),
        prediction_(forecast, out_.packet.dst) {}

  FlowReport report() {
    out_.packets = near_.packets();
    if (const std::uint64_t sent = is_tcp(flow_) ? near_.openings() : 0; sent > 1) out_.retransmissions = sent - 1;
    decide();
    out_.seen = seen_in_order(flow_, parts_, progress_, forecast_.reply.rows, files_);
    list_differences();
    const Predicted& lost = out_.direction == Direction::reply ? forecast_.reply : forecast_.forward;
    if (out_.fate == Fate::lost && lost.path != nullptr && lost.path->stopped_at)
      out_.predicted_end = lost.path->stopped_at->reason;
    out_.why = why_.text();
    return std::move(out_);
  }

 private:
  bool arrived(const Parts& parts) const { return near_.arrived(parts, forecast_.reply); }

  void decide() {
    if (parts_.opening.empty() && parts_.answer.empty() && parts_.errors.empty() && parts_.resets.empty() && parts_.later.empty())
      return unexplained();
    const bool tcp = is_tcp(flow_), handshake = tcp && flow_.has_opening && (!parts_.later.empty() || arrived(parts_.answer));
    if (tcp && (handshake || !flow_.has_opening)) return decide_connection();
    if (arrived(parts_.resets)) return rejected(*parts_.resets.front(), kReset);
    if (arrived(parts_.errors)) return rejected(*parts_.errors.front(), error_text(*parts_.errors.front()->track));
    if (!tcp && arrived(parts_.answer)) return answered();
    if (near_.part() == nullptr && !misses_answer()) return only_answers();
    if (!parts_.answer.empty()) return lost_answer(parts_.answer);
    if (near_.part() == nullptr) return only_answers();
    lost_forward(progress_.forward, forecast_.forward);
  }

  // Whether a captured place behind the ones that saw the answer should have seen it, too, or the dumps say that it
  // ends.
  bool misses_answer() const {
    const PathReport* path = forecast_.reply.path;
    if (path == nullptr || parts_.answer.empty()) return false;
    const Progress p = progress_of(parts_.answer, forecast_.reply.rows);
    return p.furthest != kNoRow && (p.missing != kNoRow || path->stopped_at);
  }

  // The handshake is done, or the captures begin in the middle of a connection.
  void decide_connection() {
    if (!flow_.has_opening && parts_.later.empty() && parts_.replies_later.empty()) return remains();
    bool data = false;
    for (const FlowPart* part : parts_.later) data |= part->track->data.packets > 0;
    if (arrived(parts_.replies_later) || (!data && flow_.has_opening)) return answered();
    if (!flow_.has_opening && parts_.replies_later.empty() && (!data || !near_.is_start())) return one_direction();
    out_.after_handshake = flow_.has_opening;
    if (arrived(parts_.resets)) return rejected(*parts_.resets.front(), kReset);
    if (!flow_.has_opening && !parts_.replies_later.empty()) return answered();
    if (!parts_.replies_later.empty()) return lost_answer(parts_.replies_later);
    Parts with_data;
    for (const FlowPart* part : parts_.later)
      if (part->track->data.packets > 0) with_data.push_back(part);
    lost_forward(progress_of(with_data, forecast_.later().rows), forecast_.later());
  }

  // Of a connection that began before the captures: a late SYN-ACK, and resets.
  void remains() {
    out_.fate = Fate::unexplained;
    const FlowPart* refusal = nullptr;
    for (const FlowPart& part : flow_.parts)
      if (!part.reply && part.track->reset.packets > 0 && refusal == nullptr) refusal = &part;
    if (parts_.answer.empty())
      why_.set(FlowRemark::only_a_reset);
    else if (refusal == nullptr)
      why_.set(FlowRemark::only_a_late_syn_ack);
    else
      why_.set(FlowRemark::late_syn_ack_refused, {refusal->track->key.src});
  }

  void one_direction() {
    out_.fate = Fate::unexplained;
    if (near_.part() == nullptr)
      why_.set(FlowRemark::only_the_other_direction);
    else
      why_.set(FlowRemark::one_direction_only, {place_text(*near_.part())});
  }

  void answered() {
    out_.fate = Fate::answered;
    why_.set(prediction_.of_answered());
  }

  bool reached_end() const {
    const PathReport* path = forecast_.forward.path;
    return path != nullptr && path->verdict == Verdict::delivered &&
           (progress_.forward.complete || (progress_.forward.furthest != kNoRow && progress_.forward.missing == kNoRow));
  }

  void rejected(const FlowPart& by, const std::string& with) {
    out_.fate = Fate::rejected;
    const bool at_end = reached_end();
    out_.direction = at_end ? Direction::reply : Direction::request;
    const Parts& refusals = by.track->is_error() ? parts_.errors : parts_.resets;
    out_.last_seen = last_seen(!at_end ? progress_.forward.last : refusals.empty() ? nullptr : refusals.back());
    if (by.track->is_error())
      why_.set(FlowRemark::comes_back, {with, place_text(by)});
    else
      why_.set(FlowRemark::comes_back_from, {with, by.track->key.src, place_text(by)});
    if (forecast_.forward.path != nullptr && forecast_.forward.path->verdict != Verdict::delivered)
      why_.add(prediction_.summary_of(forecast_.forward));
  }

  void lost_answer(const Parts& parts) {
    out_.fate = Fate::lost;
    out_.direction = Direction::reply;
    const Progress p = progress_of(parts, forecast_.reply.rows);
    out_.last_seen = last_seen(p.last);
    const PathReport* path = forecast_.reply.path;
    std::string until = near_.part() != nullptr ? place_text(*near_.part()) : "";
    if (p.missing != kNoRow)
      until = place_text(forecast_.reply.rows.sighting(p.missing).node, forecast_.reply.rows.sighting(p.missing).device);
    else if (path != nullptr && path->stopped_at)
      until = prediction_.stop_place(*path->stopped_at);
    out_.lost_between = {place_text(*p.last), until};
    if (path != nullptr && path->verdict != Verdict::delivered && p.missing == kNoRow)
      why_.set(FlowRemark::reply_lost_as_predicted, {forecast_.reply.summary()});
    else
      why_.set(FlowRemark::reply_lost_between, {place_text(*p.last), until});
    if (path != nullptr && path->verdict == Verdict::delivered) why_.add(FlowRemark::reply_should_get_through);
  }

  // Not seen behind `p.last`, and nothing came back that its sender would take.
  void lost_forward(const Progress& p, const Predicted& predicted) {
    out_.fate = Fate::lost;
    out_.direction = Direction::request;
    out_.last_seen = last_seen(p.last);
    const PathReport* path = predicted.path;
    const std::string from = p.last != nullptr ? place_text(*p.last) : "";
    if (path == nullptr || (p.last != nullptr && p.last->place.node().empty())) {
      out_.fate = Fate::unexplained;
      out_.direction.reset();
      if (path == nullptr)
        why_.set(FlowRemark::no_reply_predicted, {from, phrase({prediction_.why_none()})});
      else
        why_.set(FlowRemark::no_reply_unplaced, {from});
      return;
    }
    const bool off_the_path = p.last != nullptr && p.furthest != kNoRow && match(predicted.rows, *p.last) == kNoRow;
    if (p.furthest == kNoRow || off_the_path) {
      out_.lost_between = {from, receiver()};
      why_.set(p.furthest == kNoRow ? FlowRemark::last_seen_without_path : FlowRemark::last_seen_off_path, {from});
    } else if (p.missing != kNoRow) {
      const SightingReport row = predicted.rows.report(p.missing);
      out_.lost_between = {from, place_text(row.node, row.device)};
      why_.set(FlowRemark::lost_before_next, {from, place_text(row.node, row.device)});
      out_.differs.push_back(
          {place_text(row.node, row.device) + (row.in ? " in" : " out"), row_text(row), phrase({FlowRemark::not_seen})});
    } else if (path->verdict == Verdict::inconclusive) {
      undecided(predicted);
    } else if (path->verdict != Verdict::delivered) {
      out_.lost_between = {from, path->stopped_at ? prediction_.stop_place(*path->stopped_at) : from};
      why_.set(prediction_.summary_of(predicted));
    } else {
      unanswered(p, predicted);
    }
    if (out_.fate == Fate::lost && out_.direction != Direction::reply) add_refusal();
  }

  // Nor do the dumps decide what becomes of it: that no answer comes back is known where the sender's own device was
  // captured, and there only.
  void undecided(const Predicted& predicted) {
    out_.direction.reset();
    why_.set(prediction_.summary_of(predicted));
    if (must_be_answered(flow_) && near_.shows_all()) {
      out_.lost_between = {place_text(*near_.part()), place_text(*near_.part())};
      why_.add(FlowRemark::no_reply_at, {place_text(*near_.part())});
      return;
    }
    out_.fate = Fate::unexplained;
    out_.last_seen.reset();
  }

  // Everything captured on the path has seen it, and the dumps say that it arrives; but no answer was captured.
  void unanswered(const Progress& p, const Predicted& predicted) {
    const auto& rows = forecast_.reply.rows;
    std::size_t first = kNoRow;
    for (std::size_t i = 0; i < rows.size() && first == kNoRow; ++i)
      if (rows[i].captured) first = i;
    if (!must_be_answered(flow_) || (first == kNoRow && !near_.shows_all())) {
      out_.fate = p.complete ? Fate::delivered : Fate::unexplained;
      out_.direction.reset();
      out_.last_seen.reset();
      if (p.complete)
        why_.set(prediction_.summary_of(predicted));
      else
        why_.set(FlowRemark::nothing_captured_behind, {place_text(*p.last)});
      return;
    }
    const std::string until =
        first != kNoRow ? place_text(rows.sighting(first).node, rows.sighting(first).device) : place_text(*near_.part());
    out_.lost_between = {place_text(*p.last), until};
    if (p.complete) {
      out_.direction = Direction::reply;
      why_.set(FlowRemark::arrives_without_reply, {place_text(*p.last), until});
    } else {
      out_.direction.reset();
      why_.set(FlowRemark::seen_without_reply, {place_text(*p.last), until});
    }
    if (forecast_.reply.path != nullptr && forecast_.reply.path->verdict != Verdict::delivered)
      why_.add(FlowRemark::predicted, {forecast_.reply.summary()});
  }

  // A reset or ICMP error that does not help: its addresses are wrong, or the handshake was done.
  void add_refusal() {
    if (!parts_.errors.empty() && !arrived(parts_.errors))
      why_.add(FlowRemark::refusal_not_at_sender, {error_text(*parts_.errors.front()->track)});
    else if (!parts_.errors.empty() && out_.after_handshake)
      why_.add(FlowRemark::refusal_ends_nothing, {error_text(*parts_.errors.front()->track)});
    for (const FlowPart* part : parts_.resets) {
      if (near_.part() == nullptr || part->place.at != near_.part()->place.at) continue;
      why_.add(FlowRemark::reset_belongs_to_nothing, {ends_text(*part)});
      return;
    }
    if (!parts_.resets.empty())
      why_.add(FlowRemark::reset_not_at_sender, {ends_text(*parts_.resets.front()), place_text(*parts_.resets.front())});
  }

  std::string receiver() const { return out_.to.node.empty() ? out_.packet.dst : out_.to.node; }

  void only_answers() {
    if (!parts_.answer.empty()) {
      out_.fate = Fate::unexplained;
      why_.set(FlowRemark::only_the_reply);
      return;
    }
    unexplained();
  }

  void unexplained() {
    out_.fate = Fate::unexplained;
    why_.set(FlowRemark::nothing_that_opens);
  }

  void list_differences() {
    if (forecast_.explanation == nullptr || forecast_.matched == 0) return;
    add_differences(progress_.forward, forecast_.forward.rows, out_.differs);
    if (forecast_.next.path != nullptr) add_differences(progress_.next, forecast_.next.rows, out_.differs);
    if (forecast_.reply.path != nullptr) add_differences(progress_.reply, forecast_.reply.rows, out_.differs);
    const PathReport* path = forecast_.forward.path;
    if (path != nullptr && path->stopped_at && (out_.fate == Fate::answered || out_.fate == Fate::delivered))
      out_.differs.push_back({prediction_.stop_place(*path->stopped_at),
                              fmt::format("{}: {}", name_of(path->verdict), forecast_.forward.why_stopped()),
                              phrase({FlowRemark::goes_on})});
  }

  const Flow& flow_;
  const Forecast& forecast_;
  const std::vector<File>& files_;
  const FlowParts parts_;
  const FlowProgress progress_;
  const NearPart near_;
  FlowReport out_;
  const Prediction prediction_;
  Remarks why_;
};

}  // namespace

void share_directions(Flow& flow) {
  for (FlowPart& part : flow.parts) {
    if (part.place.direction != capture::Direction::unknown || part.place.device().empty()) continue;
    std::set<capture::Direction> others;
    for (const FlowPart& other : flow.parts)
      if (other.place.at == part.place.at && other.ends == part.ends && other.track->key.ttl == part.track->key.ttl &&
          other.track->key.tunnel == part.track->key.tunnel)
        others.insert(other.place.direction);
    others.erase(capture::Direction::unknown);
    if (others.size() == 1) part.place.direction = *others.begin();
  }
}

FlowReport judge(const Flow& flow, const Forecast& forecast, const std::vector<File>& files) {
  return Judge(flow, forecast, files).report();
}

}  // namespace egt::explain::capture_study
