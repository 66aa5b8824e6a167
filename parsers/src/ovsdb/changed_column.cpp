#include "ovsdb/changed_column.h"

namespace egt::parsers::ovsdb {
namespace {

constexpr std::size_t kShownWhole = 16;  // elements of a set or map that is shown whole, too

std::string element_text(const Atom& key, const Atom& value, const ColumnType& type) {
  std::string text;
  print(key, text);
  if (!type.value) return text;
  text.push_back('=');
  print(value, text);
  return text;
}

bool is_shown_whole(const ChangedColumn& column, const ColumnType& type) {
  return !type.is_composite() || column.elements.size() <= kShownWhole;
}

void describe_whole(const ColumnType& type, const ChangedColumn& before, const ChangedColumn& after,
                    cluster::ColumnChange& shown) {
  if (!is_shown_whole(before, type) || !is_shown_whole(after, type)) return;
  shown.before = to_text(datum_of(before, type));
  shown.after = to_text(datum_of(after, type));
}

}  // namespace

Datum datum_of(const ChangedColumn& column, const ColumnType& type) {
  if (!type.is_composite()) return column.whole;
  Datum datum;
  datum.shape = type.value ? Datum::Shape::map : Datum::Shape::set;
  for (const auto& [key, value] : column.elements) {
    datum.keys.push_back(key);
    if (type.value) datum.values.push_back(value);
  }
  return datum;
}

ChangedColumn changed_of(Datum datum, const ColumnType& type) {
  ChangedColumn column;
  if (!type.is_composite()) {
    column.whole = std::move(datum);
    return column;
  }
  for (std::size_t i = 0; i < datum.keys.size(); ++i)
    column.elements.insert_or_assign(std::move(datum.keys[i]), type.value ? std::move(datum.values[i]) : Atom{});
  return column;
}

void apply_difference(Datum difference, const ColumnType& type, ChangedColumn& column) {
  if (!type.is_composite()) {
    column.whole = std::move(difference);
    return;
  }
  for (std::size_t i = 0; i < difference.keys.size(); ++i) {
    Atom value = type.value ? std::move(difference.values[i]) : Atom{};
    const auto it = column.elements.find(difference.keys[i]);
    if (it == column.elements.end())
      column.elements.emplace(std::move(difference.keys[i]), std::move(value));
    else if (it->second == value)
      column.elements.erase(it);
    else
      it->second = std::move(value);
  }
}

cluster::ColumnChange describe_difference(const std::string& name, const ColumnType& type, const ChangedColumn& before,
                                          const Datum& difference) {
  cluster::ColumnChange shown{name, {}, {}, {}, {}};
  for (std::size_t i = 0; type.is_composite() && i < difference.keys.size(); ++i) {
    const Atom& key = difference.keys[i];
    const Atom value = type.value ? difference.values[i] : Atom{};
    const auto it = before.elements.find(key);
    if (it != before.elements.end()) shown.removed.push_back(element_text(key, it->second, type));
    if (it == before.elements.end() || it->second != value) shown.added.push_back(element_text(key, value, type));
  }
  if (is_shown_whole(before, type) && difference.keys.size() <= kShownWhole) {
    ChangedColumn after = before;
    apply_difference(difference, type, after);
    describe_whole(type, before, after, shown);
  }
  return shown;
}

cluster::ColumnChange describe_replacement(const std::string& name, const ColumnType& type, const ChangedColumn& before,
                                           const ChangedColumn& after) {
  cluster::ColumnChange shown{name, {}, {}, {}, {}};
  for (const auto& [key, value] : before.elements) {
    const auto it = after.elements.find(key);
    if (it == after.elements.end() || it->second != value) shown.removed.push_back(element_text(key, value, type));
  }
  for (const auto& [key, value] : after.elements) {
    const auto it = before.elements.find(key);
    if (it == before.elements.end() || it->second != value) shown.added.push_back(element_text(key, value, type));
  }
  describe_whole(type, before, after, shown);
  return shown;
}

}  // namespace egt::parsers::ovsdb
