// The columns of a database row with their values as they are printed (egtrace/ovn/printed_value.h), in the order of their names, in
// one piece of memory: a cluster has millions of them, and most are never asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace egt::ovn {

class Columns {
 public:
  using Column = std::pair<std::string_view, std::string_view>;  // name and value

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Column;
    using difference_type = std::ptrdiff_t;
    using pointer = const Column*;
    using reference = Column;

    explicit Iterator(const char* at) : at_(at) {}
    Column operator*() const;
    Iterator& operator++();
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const char* at_;
  };

  // Columns whose values are appended where they stay.
  class Packer {
   public:
    // The value of a next column, to be appended to up to the next call. Null, and no column is begun, unless its name comes behind
    // those of all others.
    std::string* begin(std::string_view name);
    // Those that were begun; it may pack those of another row then.
    Columns take();

   private:
    void end();

    std::string packed_;
    std::optional<std::size_t> last_;  // where its Sizes stand
  };

  Columns() = default;
  // In any order; where a name stands twice, the first counts.
  Columns(std::initializer_list<Column> all);

  // Views live until a column is added or changed.
  Iterator begin() const { return Iterator(packed_.data()); }
  Iterator end() const { return Iterator(packed_.data() + packed_.size()); }
  bool empty() const { return packed_.empty(); }
  std::optional<std::string_view> find(std::string_view name) const;
  bool contains(std::string_view name) const { return find(name).has_value(); }

  // False, and nothing is changed, where there is a column of this name.
  bool add(std::string_view name, std::string_view value);
  void set(std::string_view name, std::string_view value);

  friend bool operator==(const Columns&, const Columns&) = default;

 private:
  struct Sizes {
    std::uint32_t name = 0, value = 0;
  };
  static Sizes sizes_at(const char* at);
  static void put(std::string& packed, std::string_view name, std::string_view value);
  std::size_t place_of(std::string_view name) const;  // of the first that does not come before it

  std::string packed_;  // of each column its Sizes, its name and its value
};

}  // namespace egt::ovn
