#include "predictor.h"

#include <fmt/format.h>

#include <algorithm>

#include "egtrace/explain/phrases.h"

namespace egt::test {
namespace {

using engine::HostOutcome;

// Goes through all combinations of options, as the driver of a walk does.
class EveryWay : public engine::Chooser {
 public:
  std::size_t choose(const engine::ChoicePoint& point) override {
    if (point.options.size() < 2) return 0;
    if (at_ == chosen_.size()) chosen_.push_back({0, point.options.size()});
    if (point.kind == engine::ChoicePoint::Kind::unknown) asked_unknown = true;
    text += fmt::format("[{} {}] ", explain::what_of(point), explain::phrase(point.options[chosen_[at_].first].label));
    return chosen_[at_++].first;
  }
  bool next() {
    at_ = 0;
    asked_unknown = false;
    text.clear();
    while (!chosen_.empty() && ++chosen_.back().first >= chosen_.back().second) chosen_.pop_back();
    return !chosen_.empty();
  }
  bool asked_unknown = false;
  std::string text;

 private:
  std::vector<std::pair<std::size_t, std::size_t>> chosen_;
  std::size_t at_ = 0;
};

class NoNeighbours : public engine::NeighbourOracle {
 public:
  std::optional<Answer> resolve(const cluster::Node&, std::string_view, const IpAddr&,
                                const std::optional<IpAddr>&) const override {
    return std::nullopt;
  }
};

bool assumes(const engine::Record& r, engine::Supposition what) {
  return std::any_of(r.assumptions.begin(), r.assumptions.end(), [&](const auto& a) { return a.what == what; });
}

}  // namespace

std::vector<Way> Predictor::predict(const Probe& p) {
  constexpr std::size_t kMost = 128;
  std::vector<Way> ways;
  for (const engine::NetworkState& network_state : network_states) add_paths(p, network_state, ways, ways.size() + kMost);
  return ways;
}

void Predictor::add_paths(const Probe& p, const engine::NetworkState& network_state, std::vector<Way>& ways, std::size_t most) {
  EveryWay chooser;
  NoNeighbours neighbours;
  FlowKey packet = p.packet;
  if (p.in_fragments) packet.set(FieldId::ip_frag, ip_frag::any);  // the first one, which shows what is seen of them
  do {
    Way w;
    w.network_state = network_state;
    engine::HostOptions options;
    if (p.quoted) options.quoted = tuple_of(*p.quoted);
    engine::HostEngine engine(node_, w.network_state, w.record, chooser, neighbours, options);
    w.outcome = p.local ? engine.send({p.process.packet, p.process.choose_source, p.process.bound_device})
                        : engine.receive(host_.device_of(p.wire), packet);
    const auto walk_answer = [&](const engine::LocalSend& answer) {
      return engine::HostEngine(node_, w.network_state, w.answer_record, chooser, neighbours).send(answer);
    };
    if (w.outcome.answer) w.answer = walk_answer(*w.outcome.answer);
    if (w.answer && w.answer->answer) {  // a reset that a rule refuses: who it seems to come from hears of it
      const std::vector<HostOutcome> copies = w.answer->copies;
      w.answer = walk_answer(engine::LocalSend(*w.answer->answer));
      w.answer->copies.insert(w.answer->copies.begin(), copies.begin(), copies.end());
    }
    w.choices = chooser.text;
    w.open_port =
        assumes(w.record, engine::Supposition::random_port) || assumes(w.record, engine::Supposition::other_source_port);
    w.sure = !chooser.asked_unknown && w.record.assumptions.empty() && w.record.gaps.empty();
    ways.push_back(std::move(w));
  } while (chooser.next() && ways.size() < most);
}

std::string frame_text(const std::string& device, const FlowKey& k) {
  return fmt::format("{} {} {} > {}", device, to_text(k), src_mac(k).to_string(), dst_mac(k).to_string());
}

std::string describe(const Way& w) {
  static constexpr const char* kNames[] = {"delivered", "transmit", "dropped", "rejected", "inconclusive"};
  std::string out =
      fmt::format("{}{} {}", w.choices, kNames[static_cast<int>(w.outcome.kind)], frame_text(w.outcome.device, w.outcome.packet));
  if (w.outcome.stop)
    out += fmt::format(" at {}: {}", explain::phrase(w.outcome.stop->where), explain::phrase(w.outcome.stop->why));
  if (w.outcome.answer) out += fmt::format(" with {} ({})", w.outcome.reject_with, to_text(w.outcome.answer->packet));
  if (w.answer && w.answer->stop)
    out +=
        fmt::format("; the answer stops at {}: {}", explain::phrase(w.answer->stop->where), explain::phrase(w.answer->stop->why));
  else if (w.answer)
    out += fmt::format("; the answer: {} {}", kNames[static_cast<int>(w.answer->kind)],
                       frame_text(w.answer->device, w.answer->packet));
  std::vector<HostOutcome> copies = w.outcome.copies;
  if (w.answer) copies.insert(copies.end(), w.answer->copies.begin(), w.answer->copies.end());
  for (const HostOutcome& copy : copies)
    out += fmt::format("; a copy: {} {}{}", kNames[static_cast<int>(copy.kind)], frame_text(copy.device, copy.packet),
                       copy.stop ? " at " + explain::phrase(copy.stop->where) + ": " + explain::phrase(copy.stop->why) : "");
  for (const auto& a : w.record.assumptions) out += fmt::format("; assumes {} ({})", explain::what_of(a), explain::why_of(a));
  for (const auto& g : w.record.gaps) out += fmt::format("; lacks {}", explain::gap_of(g).what);
  return out;
}

}  // namespace egt::test
