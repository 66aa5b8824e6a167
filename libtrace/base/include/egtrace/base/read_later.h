// A part of a model that is read on its first use: compiled snapshots have much that a question does not need.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace egt {

// Any number of threads may ask; one of them reads, the others wait. What reading throws, the caller gets, and the next one
// tries again. Copies share what is read.
template <class T>
class ReadLater {
 public:
  ReadLater() = default;
  ReadLater(T value) : value_(std::move(value)) {}  // implicit: a value is there already

  // What `read` gives may view what `read` owns, which lives as long as this does.
  static ReadLater by(std::function<T()> read) {
    ReadLater later;
    later.unread_ = std::make_shared<Unread>();
    later.unread_->read = std::move(read);
    return later;
  }

  const T& get() const {
    if (!unread_ || is_own_) return value_;
    std::call_once(unread_->once, [this] { unread_->value = unread_->read(); });
    return unread_->value;
  }
  // To be changed, while no other thread asks.
  T& edit() {
    if (unread_ && !is_own_) value_ = get(), is_own_ = true;
    return value_;
  }

 private:
  struct Unread {
    std::function<T()> read;
    std::once_flag once;
    T value;
  };
  T value_{};
  std::shared_ptr<Unread> unread_;
  bool is_own_ = false;  // value_ counts, though it was read later
};

}  // namespace egt
