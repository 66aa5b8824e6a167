#include "egtrace/base/name.h"

#include <array>
#include <functional>
#include <mutex>
#include <unordered_set>

namespace egt {
namespace {

struct Hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};

class Texts {
 public:
  const std::string* find_or_add(std::string_view text) {
    const std::lock_guard<std::mutex> lock(guard_);
    const auto known = texts_.find(text);
    return known != texts_.end() ? &*known : &*texts_.emplace(text).first;
  }

 private:
  std::mutex guard_;
  std::unordered_set<std::string, Hash, std::equal_to<>> texts_;  // whose members stay where they are
};

}  // namespace

const std::string Name::kNone;

const std::string* Name::kept(std::string_view text) {
  static Texts& texts = *new Texts;                           // outlives what is destroyed at the end of the program
  thread_local std::array<const std::string*, 256> recent{};  // most lines repeat the names of others
  if (text.empty()) return &kNone;
  const std::string*& last = recent[Hash{}(text) % recent.size()];
  if (last == nullptr || *last != text) last = texts.find_or_add(text);
  return last;
}

}  // namespace egt
