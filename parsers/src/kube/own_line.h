// The line that names an object: what a reader looks for, where its first line has no more than "- apiVersion: v1".
#pragma once

#include <cstdint>
#include <string_view>

#include "kube/documents.h"
#include "support/lines.h"

namespace egt::parsers::kube {

// Of objects in the order of the dump.
class OwnLines {
 public:
  explicit OwnLines(const Dump& dump) : lines_(dump) {}
  // The first line of the object's metadata that has its name; where none has, its first line.
  std::uint32_t of(Chunk where, std::string_view name);

 private:
  LineReader lines_;
  Line line_;
};

}  // namespace egt::parsers::kube
