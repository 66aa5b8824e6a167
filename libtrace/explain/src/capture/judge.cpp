#include "judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "egtrace/packet/packet.h"
#include "remark.h"
#include "seen_list.h"

namespace egt::explain::capture_study {
namespace {

const std::string kReset = "TCP reset";

class Judge {
 public:
  Judge(const Flow& flow, const Forecast& forecast, const std::vector<File>& files)
      : flow_(flow), forecast_(forecast), files_(files), tcp_(flow.proto == ip_proto::tcp), parts_(parts_of(flow)) {}

  FlowReport report() {
    describe();
    progress_.forward = progress_of(parts_.opening, forecast_.forward.rows);
    progress_.reply = progress_of(parts_.answer, forecast_.reply.rows);
    progress_.next = progress_of(parts_.later, next_rows());
    find_near();
    decide();
    out_.seen = seen_in_order(flow_, parts_, progress_, forecast_.reply.rows, files_);
    list_differences();
    const Predicted& lost = out_.direction == Direction::reply ? forecast_.reply : forecast_.forward;
    if (out_.fate == Fate::lost && lost.path != nullptr && lost.path->stopped_at)
      out_.predicted_end = lost.path->stopped_at->reason;
    out_.why = in_one(why_);
    return std::move(out_);
  }

 private:
  void because(Remark kind, engine::Details about = {}) { why_ = {{kind, std::move(about)}}; }
  void besides(Remark kind, engine::Details about = {}) { why_.push_back({kind, std::move(about)}); }
  void because(std::vector<FlowStatement> remarks) { why_ = std::move(remarks); }
  void besides(const std::vector<FlowStatement>& remarks) { why_.insert(why_.end(), remarks.begin(), remarks.end()); }

  const Rows& next_rows() const { return forecast_.next.path != nullptr ? forecast_.next.rows : forecast_.forward.rows; }

  void describe() {
    const Part& first = parts_.opening.empty() ? flow_.parts.front() : *parts_.opening.front();
    sent_ = forecast_.explanation != nullptr ? forecast_.ends.own : first.reply ? first.ends.reversed() : first.ends;
    out_.packet.src = sent_.src.to_string();
    out_.packet.dst = sent_.dst.to_string();
    out_.packet.proto = proto_name(flow_.proto, sent_.src.family);
    if (carries_ports(flow_.proto)) {
      out_.packet.sport = sent_.sport;
      out_.packet.dport = sent_.dport;
    }
    if (forecast_.explanation != nullptr) {
      out_.from = own(forecast_.explanation->from);
      out_.to = own(forecast_.explanation->to);
      if (!forecast_.translated_by.empty()) out_.from = {"ip", "", "", out_.packet.src};
    } else {
      out_.from = {"ip", "", "", out_.packet.src};
      out_.to = {"ip", "", "", out_.packet.dst};
    }
    out_.time = flow_.start;
    if (forecast_.forward.path != nullptr && forecast_.matched > 0) out_.predicted = forecast_.forward.path->outcome;
    out_.not_walked = forecast_.left_out && forecast_.explanation == nullptr;
  }

  EndReport own(EndReport end) const {
    end.ip = forecast_.ends.in_place_of(end.ip);
    end.name = forecast_.ends.in_text(std::move(end.name));
    return end;
  }

  void find_near() {
    std::size_t row = kNoRow;
    for (const Progress::Hit& h : progress_.forward.hits)
      if (near_ == nullptr || (h.row != kNoRow && (row == kNoRow || h.row < row))) {
        near_ = h.part;
        row = h.row;
      }
    near_is_start_ = row == 0;
    near_shows_all_ = near_is_start_ && near_ != nullptr && !files_[near_->track->key.file].capture.of_events;
    std::uint64_t sent = 0;
    for (const Progress::Hit& h : progress_.forward.hits)
      if (near_ != nullptr && h.part->place.at == near_->place.at && h.part->ends == near_->ends)
        sent = std::max(sent, tcp_ ? h.part->track->syn.packets : std::uint64_t{0});
    out_.packets = near_ != nullptr ? near_->track->all.packets : 0;
    out_.retransmissions = sent > 1 ? sent - 1 : 0;
  }

  // Whether one of these parts came back to the sender, as an answer to what it sent.
  bool arrived(const Parts& parts) const {
    if (near_ == nullptr) return false;
    const bool passes_near = std::any_of(parts.begin(), parts.end(), [&](const Part* part) {
      return part->place.at == near_->place.at && part->ends == near_->ends.reversed();
    });
    if (near_is_start_ || forecast_.reply.path == nullptr) return passes_near;
    // The sender's own device was not captured: passing where its packet was seen is not arriving, and the answer need
    // not pass there.
    const Progress p = progress_of(parts, forecast_.reply.rows);
    if (p.furthest == kNoRow) return passes_near;
    return forecast_.reply.path->verdict == Verdict::delivered && p.missing == kNoRow;
  }

  void decide() {
    if (parts_.opening.empty() && parts_.answer.empty() && parts_.errors.empty() && parts_.resets.empty() && parts_.later.empty())
      return unexplained();
    const bool handshake = tcp_ && flow_.has_opening && (!parts_.later.empty() || arrived(parts_.answer));
    if (tcp_ && (handshake || !flow_.has_opening)) return decide_connection();
    if (arrived(parts_.resets)) return rejected(*parts_.resets.front(), kReset);
    if (arrived(parts_.errors)) return rejected(*parts_.errors.front(), error_text(*parts_.errors.front()->track));
    if (!tcp_ && arrived(parts_.answer)) return answered();
    if (near_ == nullptr && !misses_answer()) return only_answers();
    if (!parts_.answer.empty()) return lost_answer();
    if (near_ == nullptr) return only_answers();
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
    for (const Part* part : parts_.later) data |= part->track->data.packets > 0;
    if (arrived(parts_.replies_later) || (!data && flow_.has_opening)) return answered();
    if (!flow_.has_opening && parts_.replies_later.empty() && (!data || !near_is_start_)) return one_direction();
    out_.after_handshake = flow_.has_opening;
    if (arrived(parts_.resets)) return rejected(*parts_.resets.front(), kReset);
    if (!flow_.has_opening && !parts_.replies_later.empty()) return answered();
    if (!parts_.replies_later.empty()) return lost_answer(parts_.replies_later);
    Parts with_data;
    for (const Part* part : parts_.later)
      if (part->track->data.packets > 0) with_data.push_back(part);
    lost_forward(progress_of(with_data, next_rows()), forecast_.next.path != nullptr ? forecast_.next : forecast_.forward);
  }

  // Of a connection that began before the captures: a late SYN-ACK, and resets.
  void remains() {
    out_.fate = Fate::unexplained;
    const Part* refusal = nullptr;
    for (const Part& part : flow_.parts)
      if (!part.reply && part.track->reset.packets > 0 && refusal == nullptr) refusal = &part;
    if (parts_.answer.empty())
      because(Remark::only_a_reset);
    else if (refusal == nullptr)
      because(Remark::only_a_late_syn_ack);
    else
      because(Remark::late_syn_ack_refused, {refusal->track->key.src});
  }

  void one_direction() {
    out_.fate = Fate::unexplained;
    if (near_ == nullptr)
      because(Remark::only_the_other_direction);
    else
      because(Remark::one_direction_only, {place_text(*near_)});
  }

  void answered() {
    out_.fate = Fate::answered;
    because(prediction());
  }

  // What the dumps say of it, for flows that fare as predicted.
  std::vector<FlowStatement> prediction() const {
    if (forecast_.forward.path == nullptr || forecast_.matched == 0)
      return {{Remark::answered_unpredicted, {phrase({why_not_predicted()})}}};
    if (const std::string why = why_not_answered(); !why.empty()) return {{Remark::answered_nevertheless, {why}}};
    return summary_of(forecast_.forward);
  }

  // Why the path that fits has another outcome than an answer; empty where it has not, or none.
  std::string why_not_answered() const {
    const PathReport& path = *forecast_.forward.path;
    if (path.verdict != Verdict::delivered) return in_one(summary_of(forecast_.forward));
    if (path.outcome != Outcome::refused && path.outcome != Outcome::unanswered) return {};
    const FailedWalk failed = failed_walk(path);
    return failed.walk != nullptr
               ? forecast_.ends.in_text(failed.walk->summary)
               : phrase({Remark::nobody_listens, {path.destination_seen ? to_text(*path.destination_seen) : out_.packet.dst}});
  }

  Remark why_not_predicted() const { return out_.not_walked ? Remark::path_not_computed : Remark::path_not_shown; }

  static std::string in_one(const std::vector<FlowStatement>& remarks) {
    std::string text;
    for (const FlowStatement& remark : remarks) text += (text.empty() ? "" : "; ") + phrase(remark);
    return text;
  }

  // The path's own summary; without the sender's name where that is not known.
  std::vector<FlowStatement> summary_of(const Predicted& p) const {
    const PathReport& path = *p.path;
    if (forecast_.translated_by.empty() && (forecast_.alike.empty() || &p != &forecast_.forward))
      return {{Remark::predicted, {p.summary()}}};
    if (forecast_.translated_by.empty())
      return {{Remark::several_paths_fit,
               {std::uint64_t{forecast_.alike.size() + 1}, p.summary(), fmt::format("{}", fmt::join(forecast_.alike, "; or "))}}};
    const bool ends = path.stopped_at && path.verdict != Verdict::delivered;
    return {ends ? FlowStatement{Remark::ends_as_predicted,
                                 {std::string(name_of(path.verdict)), stop_place(*path.stopped_at), p.why_stopped()}}
                 : FlowStatement{Remark::seen_by_receiver_as,
                                 {path.end_name.empty() ? out_.packet.dst : path.end_name,
                                  source_text(p.rows.report(p.rows.size() - 1))}},
            {Remark::sender_not_captured, {forecast_.translated_by}}};
  }

  bool reached_end() const {
    const PathReport* path = forecast_.forward.path;
    return path != nullptr && path->verdict == Verdict::delivered &&
           (progress_.forward.complete || (progress_.forward.furthest != kNoRow && progress_.forward.missing == kNoRow));
  }

  void rejected(const Part& by, const std::string& with) {
    out_.fate = Fate::rejected;
    const bool at_end = reached_end();
    out_.direction = at_end ? Direction::reply : Direction::request;
    const Part* last = at_end ? latest(by.track->is_error() ? parts_.errors : parts_.resets) : progress_.forward.last;
    set_last_seen(last);
    if (by.track->is_error())
      because(Remark::comes_back, {with, place_text(by)});
    else
      because(Remark::comes_back_from, {with, by.track->key.src, place_text(by)});
    if (forecast_.forward.path != nullptr && forecast_.forward.path->verdict != Verdict::delivered)
      besides(summary_of(forecast_.forward));
  }

  static const Part* latest(const Parts& parts) { return parts.empty() ? nullptr : parts.back(); }

  void lost_answer() { lost_answer(parts_.answer); }

  void lost_answer(const Parts& parts) {
    out_.fate = Fate::lost;
    out_.direction = Direction::reply;
    const Progress p = progress_of(parts, forecast_.reply.rows);
    set_last_seen(p.last);
    const PathReport* path = forecast_.reply.path;
    std::string until = near_ != nullptr ? place_text(*near_) : "";
    if (p.missing != kNoRow)
      until = place_text(forecast_.reply.rows.sighting(p.missing).node, forecast_.reply.rows.sighting(p.missing).device);
    else if (path != nullptr && path->stopped_at)
      until = stop_place(*path->stopped_at);
    out_.lost_between = {place_text(*p.last), until};
    if (path != nullptr && path->verdict != Verdict::delivered && p.missing == kNoRow)
      because(Remark::reply_lost_as_predicted, {forecast_.reply.summary()});
    else
      because(Remark::reply_lost_between, {place_text(*p.last), until});
    if (path != nullptr && path->verdict == Verdict::delivered) besides(Remark::reply_should_get_through);
  }

  std::string stop_place(const StopReport& stop) const {
    const bool in_table = stop.place.kind == engine::PlaceKind::table;
    return place_text(stop.node, in_table ? std::get<std::string>(stop.place.about.front()) : forecast_.ends.in_text(stop.where));
  }

  // Not seen behind `p.last`, and nothing came back that its sender would take.
  void lost_forward(const Progress& p, const Predicted& predicted) {
    out_.fate = Fate::lost;
    out_.direction = Direction::request;
    set_last_seen(p.last);
    const PathReport* path = predicted.path;
    const std::string from = p.last != nullptr ? place_text(*p.last) : "";
    if (path == nullptr || (p.last != nullptr && p.last->place.node().empty())) {
      out_.fate = Fate::unexplained;
      out_.direction.reset();
      if (path == nullptr)
        because(Remark::no_reply_predicted, {from, phrase({why_not_predicted()})});
      else
        because(Remark::no_reply_unplaced, {from});
      return;
    }
    const bool off_the_path = p.last != nullptr && p.furthest != kNoRow && match(predicted.rows, *p.last) == kNoRow;
    if (p.furthest == kNoRow || off_the_path) {
      out_.lost_between = {from, receiver()};
      because(p.furthest == kNoRow ? Remark::last_seen_without_path : Remark::last_seen_off_path, {from});
    } else if (p.missing != kNoRow) {
      const SightingReport row = predicted.rows.report(p.missing);
      out_.lost_between = {from, place_text(row.node, row.device)};
      because(Remark::lost_before_next, {from, place_text(row.node, row.device)});
      out_.differs.push_back(
          {place_text(row.node, row.device) + (row.in ? " in" : " out"), row_text(row), phrase({Remark::not_seen})});
    } else if (path->verdict == Verdict::inconclusive) {
      undecided(predicted);
    } else if (path->verdict != Verdict::delivered) {
      out_.lost_between = {from, path->stopped_at ? stop_place(*path->stopped_at) : from};
      because(summary_of(predicted));
    } else {
      unanswered(p, predicted);
    }
    if (out_.fate == Fate::lost && out_.direction != Direction::reply) add_refusal();
  }

  // Nor do the dumps decide what becomes of it: that no answer comes back is known where the sender's own device was
  // captured, and there only.
  void undecided(const Predicted& predicted) {
    out_.direction.reset();
    because(summary_of(predicted));
    if (must_be_answered() && near_shows_all_) {
      out_.lost_between = {place_text(*near_), place_text(*near_)};
      besides(Remark::no_reply_at, {place_text(*near_)});
      return;
    }
    out_.fate = Fate::unexplained;
    out_.last_seen.reset();
  }

  bool must_be_answered() const { return tcp_ || flow_.proto == ip_proto::icmp || flow_.proto == ip_proto::icmp6; }

  // Everything captured on the path has seen it, and the dumps say that it arrives; but no answer was captured.
  void unanswered(const Progress& p, const Predicted& predicted) {
    const auto& rows = forecast_.reply.rows;
    std::size_t first = kNoRow;
    for (std::size_t i = 0; i < rows.size() && first == kNoRow; ++i)
      if (rows[i].captured) first = i;
    if (!must_be_answered() || (first == kNoRow && !near_shows_all_)) {
      out_.fate = p.complete ? Fate::delivered : Fate::unexplained;
      out_.direction.reset();
      out_.last_seen.reset();
      if (p.complete)
        because(summary_of(predicted));
      else
        because(Remark::nothing_captured_behind, {place_text(*p.last)});
      return;
    }
    const std::string until =
        first != kNoRow ? place_text(rows.sighting(first).node, rows.sighting(first).device) : place_text(*near_);
    out_.lost_between = {place_text(*p.last), until};
    if (p.complete) {
      out_.direction = Direction::reply;
      because(Remark::arrives_without_reply, {place_text(*p.last), until});
    } else {
      out_.direction.reset();
      because(Remark::seen_without_reply, {place_text(*p.last), until});
    }
    if (forecast_.reply.path != nullptr && forecast_.reply.path->verdict != Verdict::delivered)
      besides(Remark::predicted, {forecast_.reply.summary()});
  }

  // A reset or ICMP error that does not help: its addresses are wrong, or the handshake was done.
  void add_refusal() {
    if (!parts_.errors.empty() && !arrived(parts_.errors))
      besides(Remark::refusal_not_at_sender, {error_text(*parts_.errors.front()->track)});
    else if (!parts_.errors.empty() && out_.after_handshake)
      besides(Remark::refusal_ends_nothing, {error_text(*parts_.errors.front()->track)});
    for (const Part* part : parts_.resets) {
      if (near_ == nullptr || part->place.at != near_->place.at) continue;
      besides(Remark::reset_belongs_to_nothing, {ends_text(*part)});
      return;
    }
    if (!parts_.resets.empty())
      besides(Remark::reset_not_at_sender, {ends_text(*parts_.resets.front()), place_text(*parts_.resets.front())});
  }

  std::string receiver() const { return out_.to.node.empty() ? out_.packet.dst : out_.to.node; }

  void only_answers() {
    if (!parts_.answer.empty()) {
      out_.fate = Fate::unexplained;
      because(Remark::only_the_reply);
      return;
    }
    unexplained();
  }

  void unexplained() {
    out_.fate = Fate::unexplained;
    because(Remark::nothing_that_opens);
  }

  void set_last_seen(const Part* part) {
    if (part == nullptr) return;
    using capture::Direction;
    const Direction d = part->place.direction;
    out_.last_seen = LastSeenReport{part->place.node(), part->place.device(),
                                    d == Direction::in    ? "in"
                                    : d == Direction::out ? "out"
                                                          : ""};
  }

  void list_differences() {
    if (forecast_.explanation == nullptr || forecast_.matched == 0) return;
    add_differences(progress_.forward, forecast_.forward.rows, out_.differs);
    if (forecast_.next.path != nullptr) add_differences(progress_.next, forecast_.next.rows, out_.differs);
    if (forecast_.reply.path != nullptr) add_differences(progress_.reply, forecast_.reply.rows, out_.differs);
    const PathReport* path = forecast_.forward.path;
    if (path != nullptr && path->stopped_at && (out_.fate == Fate::answered || out_.fate == Fate::delivered))
      out_.differs.push_back({stop_place(*path->stopped_at),
                              fmt::format("{}: {}", name_of(path->verdict), forecast_.forward.why_stopped()),
                              phrase({Remark::goes_on})});
  }

  const Flow& flow_;
  const Forecast& forecast_;
  const std::vector<File>& files_;
  const bool tcp_;
  FlowReport out_;
  std::vector<FlowStatement> why_;
  Ends sent_;
  const FlowParts parts_;
  FlowProgress progress_;
  // The seen part of the first direction that is nearest to the sender: there the answer must come by.
  const Part* near_ = nullptr;
  bool near_is_start_ = false;
  bool near_shows_all_ = false;  // there, what was not seen was absent
};

}  // namespace

void share_directions(Flow& flow) {
  for (Part& part : flow.parts) {
    if (part.place.direction != capture::Direction::unknown || part.place.device().empty()) continue;
    std::set<capture::Direction> others;
    for (const Part& other : flow.parts)
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
