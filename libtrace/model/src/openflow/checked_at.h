// Numbers that come from a file lead anywhere.
#pragma once

#include <cstddef>
#include <span>

namespace egt::openflow {

[[noreturn]] void throw_damaged();

template <class T>
const T& checked_at(std::span<const T> all, std::size_t i) {
  if (i >= all.size()) throw_damaged();
  return all[i];
}
template <class T>
const T& checked_at(std::span<T> all, std::size_t i) {
  return checked_at(std::span<const T>(all), i);
}

}  // namespace egt::openflow
