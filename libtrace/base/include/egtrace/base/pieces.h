// A sequence of which pieces are read on the first access to one of their elements: of a table with many rows a question needs
// a few.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace egt {

// Any number of threads may read. What reading throws, the reader gets, and the next one tries again. Elements stay where they
// are; copies share what is read.
template <class T>
class Pieces {
 public:
  using value_type = T;
  static constexpr std::size_t kPiece = 64;  // elements of each piece but the last

  struct Piece {
    std::vector<T> elements;
    std::shared_ptr<const void> keep;  // owns what they view
  };

  Pieces() = default;
  Pieces(std::vector<T> all) : all_(std::move(all)) {}  // implicit: a sequence that is there already

  // `read` is called with the number of a piece, once for each; threads may call it for several at a time.
  static Pieces read_by(std::size_t size, std::function<Piece(std::size_t)> read) {
    Pieces later;
    later.unread_ = std::make_shared<Unread>(size, std::move(read));
    return later;
  }

  std::size_t size() const { return is_own() ? all_.size() : unread_->size; }
  bool empty() const { return size() == 0; }
  const T& operator[](std::size_t i) const { return is_own() ? all_[i] : unread_->piece(i / kPiece)[i % kPiece]; }
  const T& front() const { return (*this)[0]; }

  // To be changed, while no other thread reads.
  std::vector<T>& edit() {
    if (!is_own()) {
      all_.assign(begin(), end());
      is_edited_ = true;  // unread_ still owns what the elements view
    }
    return all_;
  }

  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T*;
    using reference = const T&;

    Iterator() = default;
    Iterator(const Pieces& of, std::size_t place) : of_(&of), place_(place) { come_to_piece(); }
    const T& operator*() const { return *at_; }
    const T* operator->() const { return at_; }
    Iterator& operator++() {
      ++place_;
      if (++at_ == end_) come_to_piece();
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.place_ == b.place_; }

   private:
    void come_to_piece() {
      if (place_ >= of_->size()) return;
      at_ = &(*of_)[place_];
      end_ = at_ + (of_->is_own() ? of_->size() - place_ : std::min(kPiece - place_ % kPiece, of_->size() - place_));
    }
    const Pieces* of_ = nullptr;
    std::size_t place_ = 0;
    const T *at_ = nullptr, *end_ = nullptr;
  };

  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }

 private:
  struct Slot {
    std::once_flag once;
    Piece piece;
  };
  struct Unread {
    Unread(std::size_t n, std::function<Piece(std::size_t)> by)
        : size(n), read(std::move(by)), slots(std::make_unique<Slot[]>((n + kPiece - 1) / kPiece)) {}
    const std::vector<T>& piece(std::size_t number) {
      Slot& slot = slots[number];
      std::call_once(slot.once, [&] { slot.piece = read(number); });
      return slot.piece.elements;
    }
    std::size_t size;
    std::function<Piece(std::size_t)> read;
    std::unique_ptr<Slot[]> slots;
  };

  bool is_own() const { return !unread_ || is_edited_; }

  std::vector<T> all_;
  std::shared_ptr<Unread> unread_;
  bool is_edited_ = false;
};

}  // namespace egt
