// The groups of a bridge by number. A large node has tens of thousands with a dozen buckets each, of which a packet meets
// two or three: where a group's line is, is known at once; what it says is read when somebody asks for that group.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "egtrace/openflow/group.h"

namespace egt::openflow {

// A group's line in a dump.
struct GroupPlace {
  std::uint32_t id = 0;
  std::uint32_t line = 0;    // number in the file
  std::uint64_t offset = 0;  // of its first byte
};

// Reads lines of one dump of groups again.
class GroupText {
 public:
  virtual ~GroupText() = default;
  virtual Group read(const GroupPlace& place) const = 0;
};

// Has the face of a map. Not thread-safe, because looking reads.
class GroupTable {
 public:
  using Map = std::map<std::uint32_t, Group>;
  using const_iterator = Map::const_iterator;

  // Of several places with one number, and over groups that are there already, the last counts.
  void add(std::shared_ptr<const GroupText> text, std::vector<GroupPlace> places);
  Group& operator[](std::uint32_t id);

  std::size_t size() const;
  bool empty() const { return size() == 0; }
  bool contains(std::uint32_t id) const;
  std::size_t count(std::uint32_t id) const { return contains(id) ? 1 : 0; }
  const_iterator find(std::uint32_t id) const;
  const Group& at(std::uint32_t id) const;  // std::out_of_range where there is none
  const_iterator begin() const;             // reads all of them
  const_iterator end() const { return read_.end(); }

  // The places and their text, where all groups come from one dump; else null.
  struct Origin {
    std::shared_ptr<const GroupText> text;
    const std::vector<GroupPlace>* places = nullptr;
  };
  Origin only_origin() const;

 private:
  struct Batch {
    std::shared_ptr<const GroupText> text;
    std::vector<GroupPlace> places;  // ascending by number
  };
  const GroupPlace* place_of(const Batch& batch, std::uint32_t id) const;

  std::vector<Batch> batches_;
  mutable Map read_;
};

}  // namespace egt::openflow
