#include "egtrace/openflow/group_table.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace egt::openflow {

void GroupTable::add(std::shared_ptr<const GroupText> text, std::vector<GroupPlace> places) {
  std::stable_sort(places.begin(), places.end(), [](const GroupPlace& a, const GroupPlace& b) { return a.id < b.id; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < places.size(); ++i)
    if (i + 1 == places.size() || places[i + 1].id != places[i].id) places[kept++] = places[i];
  places.resize(kept);
  for (const GroupPlace& p : places) own_.erase(p.id);
  auto batch = std::make_shared<Batch>();
  batch->text = std::move(text);
  batch->places = std::move(places);
  batch->groups.resize(batch->places.size());
  batches_.push_back(std::move(batch));
}

Group& GroupTable::operator[](std::uint32_t id) {
  if (!own_.contains(id))
    if (const Group* shown = find(id)) own_.emplace(id, *shown);
  return own_[id];
}

GroupTable::BatchPosition GroupTable::position_of(std::uint32_t id) const {
  for (auto at = batches_.rbegin(); at != batches_.rend(); ++at) {
    const std::vector<GroupPlace>& places = (*at)->places;
    const auto it = std::lower_bound(places.begin(), places.end(), id,
                                     [](const GroupPlace& p, std::uint32_t wanted) { return p.id < wanted; });
    if (it != places.end() && it->id == id) return {at->get(), static_cast<std::size_t>(it - places.begin())};
  }
  return {};
}

std::set<std::uint32_t> GroupTable::numbers() const {
  std::set<std::uint32_t> ids;
  for (const auto& batch : batches_)
    for (const GroupPlace& p : batch->places) ids.insert(ids.end(), p.id);
  for (const auto& [id, group] : own_) ids.insert(id);
  return ids;
}

std::size_t GroupTable::size() const {
  return batches_.size() == 1 && own_.empty() ? batches_.front()->places.size() : numbers().size();
}

const Group* GroupTable::find(std::uint32_t id) const {
  if (const auto own = own_.find(id); own != own_.end()) return &own->second;
  const BatchPosition at = position_of(id);
  if (at.batch == nullptr) return nullptr;
  return &at.batch->groups[at.number].get_or([&] { return at.batch->text->read(at.batch->places[at.number]); });
}

const Group& GroupTable::at(std::uint32_t id) const {
  const Group* found = find(id);
  if (found == nullptr) throw std::out_of_range("no such group");
  return *found;
}

std::vector<const Group*> GroupTable::all() const {
  std::vector<const Group*> all;
  for (const std::uint32_t id : numbers()) all.push_back(find(id));
  return all;
}

GroupTable::Origin GroupTable::only_origin() const {
  if (batches_.size() != 1 || !own_.empty()) return {};
  return {batches_.front()->text, &batches_.front()->places};
}

}  // namespace egt::openflow
