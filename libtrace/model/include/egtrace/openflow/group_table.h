// The groups of a bridge by number. A large node has tens of thousands with a dozen buckets each, of which a packet meets
// two or three: where a group's line is, is known at once; its text is parsed when that group is looked up.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "egtrace/base/published.h"
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

// Once its groups are added any number of threads may read it.
class GroupTable {
 public:
  // Of several places with one number, and over groups that are there already, the last counts.
  void add(std::shared_ptr<const GroupText> text, std::vector<GroupPlace> places);
  Group& operator[](std::uint32_t id);

  std::size_t size() const;
  bool empty() const { return size() == 0; }
  bool contains(std::uint32_t id) const { return own_.contains(id) || position_of(id).batch != nullptr; }
  const Group* find(std::uint32_t id) const;  // null: there is none
  const Group& at(std::uint32_t id) const;    // std::out_of_range where there is none
  std::vector<const Group*> all() const;      // ascending by number

  // The places and their text, where all groups come from one dump; else null.
  struct Origin {
    std::shared_ptr<const GroupText> text;
    const std::vector<GroupPlace>* places = nullptr;
  };
  Origin only_origin() const;

 private:
  // The groups of one dump, which copies share.
  struct Batch {
    std::shared_ptr<const GroupText> text;
    std::vector<GroupPlace> places;              // ascending by number
    std::vector<Published<const Group>> groups;  // of the places, those that were read
  };
  struct BatchPosition {
    const Batch* batch = nullptr;
    std::size_t number = 0;
  };
  BatchPosition position_of(std::uint32_t id) const;
  std::set<std::uint32_t> numbers() const;

  std::vector<std::shared_ptr<const Batch>> batches_;
  std::map<std::uint32_t, Group> own_;  // over those of batches
};

}  // namespace egt::openflow
