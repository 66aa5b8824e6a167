// The step that the project's hashes of many words are made of.
#pragma once

#include <cstdint>

#include "egtrace/base/u128.h"

namespace egt {

// Both halves of the product: each bit of either factor reaches all of it. Zero where a factor is.
constexpr std::uint64_t fold_product(std::uint64_t a, std::uint64_t b) {
  const U128 product = U128{a} * b;
  return low64(product) ^ high64(product);
}

}  // namespace egt
