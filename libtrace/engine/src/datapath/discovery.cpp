#include "datapath/discovery.h"

#include <algorithm>
#include <array>

namespace egt::engine {
namespace {

using F = FieldId;

constexpr U128 kSource = 1, kTarget = 2;
constexpr std::array kFields = {F::nd_target, F::nd_sll, F::nd_tll, F::nd_reserved, F::nd_options_type};

bool has_address(U128 type) { return type == kSource || type == kTarget; }
F address_field(U128 type) { return type == kSource ? F::nd_sll : F::nd_tll; }

}  // namespace

bool Discovery::has(F field) { return std::find(kFields.begin(), kFields.end(), field) != kFields.end(); }

// The key names the type of the first option; of a key without it that of the source is the first.
Discovery::Discovery(const FlowKey& key) : target_(key.get(F::nd_target)), reserved_(key.get(F::nd_reserved)) {
  const U128 first = key.get(F::nd_options_type);
  if (first != 0) options_.push_back({first, has_address(first) ? key.get(address_field(first)) : U128{0}});
  for (const U128 type : {kSource, kTarget})
    if (const U128 address = key.get(address_field(type)); type != first && address != 0) options_.push_back({type, address});
}

void Discovery::write(F field, U128 value, U128 mask) {
  switch (field) {
    case F::nd_target: target_ = (target_ & ~mask) | (value & mask); break;
    // The whole of either is written, under whatever mask.
    case F::nd_reserved: reserved_ = value & mask; break;
    case F::nd_options_type:
      if (!options_.empty()) options_.front().type = value & mask;
      break;
    default: write_address(field, value, mask);
  }
}

// Into the first option that has an address, if it has that one.
void Discovery::write_address(F field, U128 value, U128 mask) {
  const auto first = std::find_if(options_.begin(), options_.end(), [](const Option& o) { return has_address(o.type); });
  if (first != options_.end() && address_field(first->type) == field) first->address = (first->address & ~mask) | (value & mask);
}

void Discovery::show(FlowKey& key) const {
  hide(key);
  key.set(F::nd_target, target_);
  key.set(F::nd_reserved, reserved_);
  for (const Option& option : options_) {
    if (!has_address(option.type)) continue;
    if (key.get(F::nd_options_type) == 0) key.set(F::nd_options_type, option.type);
    const F field = address_field(option.type);
    if (key.get(field) == 0) {
      key.set(field, option.address);
      continue;
    }
    for (const F invalid : {F::nd_target, F::nd_sll, F::nd_tll}) key.set(invalid, 0);
    return;
  }
}

void Discovery::hide(FlowKey& key) {
  for (const F field : kFields) key.set(field, 0);
}

}  // namespace egt::engine
