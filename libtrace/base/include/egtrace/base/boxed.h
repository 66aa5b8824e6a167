// A value that few of many objects have: it takes a pointer where there is none.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <variant>

namespace egt {

template <class T>
class Boxed {
 public:
  Boxed() = default;
  Boxed(T value) : value_(std::make_unique<T>(std::move(value))) {}  // implicit, as that of std::optional
  Boxed(std::optional<T> value) : value_(value ? std::make_unique<T>(*std::move(value)) : nullptr) {}
  Boxed(std::nullopt_t) {}
  Boxed(const Boxed& other) : value_(other ? std::make_unique<T>(*other) : nullptr) {}
  Boxed(Boxed&&) noexcept = default;
  Boxed& operator=(Boxed other) noexcept { return std::swap(value_, other.value_), *this; }
  ~Boxed() = default;

  explicit operator bool() const { return value_ != nullptr; }
  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }
  T& emplace() { return *(value_ = std::make_unique<T>()); }

  friend bool operator==(const Boxed& a, const Boxed& b) { return a && b ? *a == *b : !a && !b; }

 private:
  std::unique_ptr<T> value_;
};

// As std::get_if, of a variant that has a box of it.
template <class T, class... Kinds>
const T* get_if_boxed(const std::variant<Kinds...>* of) {
  const auto* box = std::get_if<Boxed<T>>(of);
  return box == nullptr ? nullptr : &**box;
}

}  // namespace egt
