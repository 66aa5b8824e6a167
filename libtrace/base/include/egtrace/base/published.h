// What is read or built when it is first needed, in models that several threads read.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace egt {

// A value that the first thread to need it makes and that all threads then read. It stays where it is. Two threads may
// make it at the same time; the first one counts. Reading costs no more than a pointer.
template <class T>
class Published {
 public:
  Published() = default;
  ~Published() { delete value_.load(std::memory_order_relaxed); }
  // Not while another thread reads it.
  Published(Published&& other) noexcept : value_(other.value_.exchange(nullptr, std::memory_order_relaxed)) {}
  Published& operator=(Published&&) = delete;
  Published(const Published&) = delete;
  Published& operator=(const Published&) = delete;

  T* get() const { return value_.load(std::memory_order_acquire); }  // null: not made so far
  T& publish(std::unique_ptr<T> made) const {
    T* first = nullptr;
    if (!value_.compare_exchange_strong(first, made.get(), std::memory_order_acq_rel)) return *first;
    return *made.release();
  }
  template <class Make>
  T& get_or(Make make) const {
    T* known = get();
    return known != nullptr ? *known : publish(std::make_unique<T>(make()));
  }

 private:
  mutable std::atomic<T*> value_{nullptr};
};

// The same for what costs much: one thread makes it, the others wait. Where making it throws, the next one tries again.
template <class T>
class MadeOnce {
 public:
  template <class Make>
  const T& get_or(Make make) const {
    if (const T* known = get()) return *known;
    const std::lock_guard<std::mutex> lock(guard_);
    if (!value_) known_.store(&value_.emplace(make()), std::memory_order_release);
    return *value_;
  }
  const T* get() const { return known_.load(std::memory_order_acquire); }  // null: not made so far

 private:
  mutable std::mutex guard_;
  mutable std::optional<T> value_;
  mutable std::atomic<const T*> known_{nullptr};
};

// Values by key, each made when it is first needed; they stay where they are. Making one may ask for others.
template <class Key, class T>
class Memo {
 public:
  template <class Make>
  const T& get_or(const Key& key, Make make) const {
    {
      const std::lock_guard<std::mutex> lock(guard_);
      if (const auto known = known_.find(key); known != known_.end()) return known->second;
    }
    T made = make();
    const std::lock_guard<std::mutex> lock(guard_);
    return known_.try_emplace(key, std::move(made)).first->second;
  }

 private:
  mutable std::mutex guard_;
  mutable std::map<Key, T> known_;
};

}  // namespace egt
