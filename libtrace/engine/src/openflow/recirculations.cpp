#include "recirculations.h"

#include <algorithm>

namespace egt::engine::ofproto {

std::uint32_t Recirculations::hold(const FrozenState& s) {
  std::uint32_t id = 0;
  for (const std::uint32_t i : live_)
    if (state(i) == s) id = i;
  if (id == 0) {
    states_.push_back({s, 0});
    id = static_cast<std::uint32_t>(states_.size());
    live_.push_back(id);
  }
  ++states_[id - 1].holders;
  of_pass_.push_back(id);
  return id;
}

void Recirculations::release(std::uint32_t id) {
  if (--states_[id - 1].holders == 0) std::erase(live_, id);
}

void Recirculations::end_pass() {
  for (const std::uint32_t id : std::exchange(of_pass_, {})) release(id);
}

void Recirculations::wait(Waiting w) {
  ++states_[w.id - 1].holders;
  queue.push_back(std::move(w));
}

std::uint32_t Recirculations::meter_of(const openflow::Bridge& b, std::uint32_t id) {
  const std::pair key(&b, id);
  if (const auto known = meters_.find(key); known != meters_.end()) return known->second;
  std::uint32_t number = id == 0 ? 0 : id - 1;
  const auto taken = [&] {
    return std::any_of(meters_.begin(), meters_.end(), [&](const auto& m) { return m.second == number; });
  };
  if (taken()) number = 0;
  while (taken()) ++number;
  meters_.emplace(key, number);
  return number;
}

}  // namespace egt::engine::ofproto
