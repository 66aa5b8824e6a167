// A dump, or file, that needs more memory than there is. Without it answers would be others: none to go on without.
#pragma once

#include <new>
#include <string>
#include <utility>

namespace egt::parsers {

struct OutOfMemory : std::bad_alloc {
  explicit OutOfMemory(std::string dump) : path(std::move(dump)) {}
  const char* what() const noexcept override { return path.c_str(); }
  std::string path;
};

}  // namespace egt::parsers
