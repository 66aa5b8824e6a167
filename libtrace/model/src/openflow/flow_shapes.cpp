#include "openflow/flow_shapes.h"

#include <stdexcept>
#include <utility>

namespace egt::openflow {
namespace {

std::uint32_t hash_of_shape(const MatchShape& shape) {
  MatchHash h;
  for (const MaskWord& w : shape) {
    h.add(w.word);
    h.add(w.mask);
  }
  return h.get();
}

}  // namespace

FlowShapes::FlowShapes(std::vector<MatchShape> shapes) : all_(std::move(shapes)) {
  for (std::size_t i = 0; i < all_.size(); ++i) ids_[hash_of_shape(all_[i])].push_back(static_cast<std::uint32_t>(i));
}

std::uint32_t FlowShapes::intern(const MatchShape& shape) {
  std::vector<std::uint32_t>& same_hash = ids_[hash_of_shape(shape)];
  for (const std::uint32_t id : same_hash)
    if (all_[id] == shape) return id;
  if (all_.size() >= kMaxShapes) throw std::length_error("flows look at more kinds of fields than can be distinguished");
  same_hash.push_back(static_cast<std::uint32_t>(all_.size()));
  all_.push_back(shape);
  return same_hash.back();
}

}  // namespace egt::openflow
