#include "egtrace/openflow/group_table.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

namespace egt::openflow {

void GroupTable::add(std::shared_ptr<const GroupText> text, std::vector<GroupPlace> places) {
  std::stable_sort(places.begin(), places.end(), [](const GroupPlace& a, const GroupPlace& b) { return a.id < b.id; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < places.size(); ++i)
    if (i + 1 == places.size() || places[i + 1].id != places[i].id) places[kept++] = places[i];
  places.resize(kept);
  for (const GroupPlace& p : places) read_.erase(p.id);
  batches_.push_back({std::move(text), std::move(places)});
}

Group& GroupTable::operator[](std::uint32_t id) {
  find(id);
  return read_[id];
}

const GroupPlace* GroupTable::place_of(const Batch& batch, std::uint32_t id) const {
  const auto it = std::lower_bound(batch.places.begin(), batch.places.end(), id,
                                   [](const GroupPlace& p, std::uint32_t wanted) { return p.id < wanted; });
  return it != batch.places.end() && it->id == id ? &*it : nullptr;
}

std::size_t GroupTable::size() const {
  if (batches_.size() == 1 && read_.empty()) return batches_.front().places.size();
  std::set<std::uint32_t> ids;
  for (const Batch& b : batches_)
    for (const GroupPlace& p : b.places) ids.insert(p.id);
  for (const auto& [id, group] : read_) ids.insert(id);
  return ids.size();
}

bool GroupTable::contains(std::uint32_t id) const {
  return read_.contains(id) ||
         std::any_of(batches_.begin(), batches_.end(), [&](const Batch& b) { return place_of(b, id) != nullptr; });
}

GroupTable::const_iterator GroupTable::find(std::uint32_t id) const {
  if (const auto known = read_.find(id); known != read_.end()) return known;
  for (auto batch = batches_.rbegin(); batch != batches_.rend(); ++batch)
    if (const GroupPlace* place = place_of(*batch, id)) return read_.emplace(id, batch->text->read(*place)).first;
  return read_.end();
}

const Group& GroupTable::at(std::uint32_t id) const {
  const auto found = find(id);
  if (found == end()) throw std::out_of_range("no such group");
  return found->second;
}

GroupTable::const_iterator GroupTable::begin() const {
  for (const Batch& b : batches_)
    for (const GroupPlace& p : b.places) find(p.id);
  return read_.begin();
}

GroupTable::Origin GroupTable::only_origin() const {
  if (batches_.size() != 1) return {};
  const Batch& only = batches_.front();
  const bool others =
      std::any_of(read_.begin(), read_.end(), [&](const auto& g) { return place_of(only, g.first) == nullptr; });
  return others ? Origin{} : Origin{only.text, &only.places};
}

}  // namespace egt::openflow
