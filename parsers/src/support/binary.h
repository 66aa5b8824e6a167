// Numbers, texts and arrays in the sections of compiled snapshots: little-endian, as the host has them.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace egt::parsers {

class BinaryWriter {
 public:
  template <class T>
  void number(T v) {
    static_assert(std::is_trivially_copyable_v<T>);
    out_.append(reinterpret_cast<const char*>(&v), sizeof v);
  }
  void text(std::string_view s) {
    number<std::uint64_t>(s.size());
    out_ += s;
  }
  // Aligned, so that it can be used where it lies.
  template <class T>
  void array(std::span<const T> all) {
    static_assert(std::is_trivially_copyable_v<T>);
    number<std::uint64_t>(all.size());
    out_.resize((out_.size() + 7) / 8 * 8);
    out_.append(reinterpret_cast<const char*>(all.data()), all.size_bytes());
  }
  std::size_t size() const { return out_.size(); }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

// Throws std::runtime_error where the bytes end early. `bytes` begins at a multiple of 8.
class BinaryReader {
 public:
  explicit BinaryReader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  T number() {
    T v{};
    std::memcpy(&v, take(sizeof v).data(), sizeof v);
    return v;
  }
  std::string_view text() { return take(number<std::uint64_t>()); }
  template <class T>
  std::span<const T> array() {
    const auto n = number<std::uint64_t>();
    take((8 - at_ % 8) % 8);
    if (n > bytes_.size() / sizeof(T)) throw_cut();
    const std::string_view all = take(n * sizeof(T));
    return {reinterpret_cast<const T*>(all.data()), n};
  }
  // How many items of at least `least` bytes each may follow.
  std::uint64_t count(std::size_t least) {
    const auto n = number<std::uint64_t>();
    if (n > (bytes_.size() - at_) / least) throw_cut();
    return n;
  }
  std::size_t at() const { return at_; }

 private:
  [[noreturn]] static void throw_cut() { throw std::runtime_error("the compiled snapshot is cut or damaged"); }
  std::string_view take(std::uint64_t n) {
    if (n > bytes_.size() - at_) throw_cut();
    at_ += n;
    return bytes_.substr(at_ - n, n);
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
};

}  // namespace egt::parsers
