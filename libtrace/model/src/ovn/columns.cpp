#include "egtrace/ovn/columns.h"

#include <algorithm>
#include <cstring>

namespace egt::ovn {

Columns::Sizes Columns::sizes_at(const char* at) {
  Sizes sizes;
  std::memcpy(&sizes, at, sizeof sizes);  // of any alignment
  return sizes;
}

Columns::Column Columns::Iterator::operator*() const {
  const Sizes sizes = sizes_at(at_);
  const char* const name = at_ + sizeof sizes;
  return {{name, sizes.name}, {name + sizes.name, sizes.value}};
}

Columns::Iterator& Columns::Iterator::operator++() {
  const Sizes sizes = sizes_at(at_);
  at_ += sizeof sizes + sizes.name + sizes.value;
  return *this;
}

void Columns::put(std::string& packed, std::string_view name, std::string_view value) {
  const Sizes sizes{static_cast<std::uint32_t>(name.size()), static_cast<std::uint32_t>(value.size())};
  packed.append(reinterpret_cast<const char*>(&sizes), sizeof sizes).append(name).append(value);
}

Columns::Columns(std::initializer_list<Column> all) {
  for (const auto& [name, value] : all) add(name, value);
}

void Columns::Packer::end() {
  if (!last_) return;
  Sizes sizes = sizes_at(packed_.data() + *last_);
  sizes.value = static_cast<std::uint32_t>(packed_.size() - *last_ - sizeof sizes - sizes.name);
  std::memcpy(packed_.data() + *last_, &sizes, sizeof sizes);
}

std::string* Columns::Packer::begin(std::string_view name) {
  end();
  if (last_ && name <= std::string_view(packed_).substr(*last_ + sizeof(Sizes), sizes_at(packed_.data() + *last_).name))
    return nullptr;
  last_ = packed_.size();
  put(packed_, name, {});
  return &packed_;
}

Columns Columns::Packer::take() {
  end();
  last_.reset();
  Columns all;
  all.packed_ = packed_;  // without room for more
  packed_.clear();
  return all;
}

std::optional<std::string_view> Columns::find(std::string_view name) const {
  for (const auto& [known, value] : *this)
    if (known == name) return value;
  return std::nullopt;
}

std::size_t Columns::place_of(std::string_view name) const {
  std::size_t at = 0;
  for (const auto& [known, value] : *this) {
    if (known >= name) break;
    at += sizeof(Sizes) + known.size() + value.size();
  }
  return at;
}

bool Columns::add(std::string_view name, std::string_view value) {
  if (contains(name)) return false;
  std::string own;
  put(own, name, value);
  packed_.insert(place_of(name), own);
  return true;
}

void Columns::set(std::string_view name, std::string_view value) {
  std::string own;
  put(own, name, value);
  const auto known = find(name);
  packed_.replace(place_of(name), known ? sizeof(Sizes) + name.size() + known->size() : 0, own);
}

}  // namespace egt::ovn
