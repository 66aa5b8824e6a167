// Secrets in Kubernetes objects as JSON. Strings are found where they stand, so that all else stays as it is; a document
// that is cut is looked at as far as it goes.
#include <algorithm>
#include <iterator>

#include "secrets/passages.h"

namespace egt::parsers::secrets {
namespace {

constexpr int kDeepest = 100;
constexpr std::string_view kAppliedKey = "kubectl.kubernetes.io/last-applied-configuration";

class JsonSearch {
 public:
  JsonSearch(std::string_view text, Of what, Passages& found) : text_(text), what_(what), found_(found) {}

  void search() {
    while (at_ < text_.size() && value(nullptr, 0)) {
    }
  }

 private:
  char next() {
    at_ = std::min(text_.find_first_not_of(" \t\r\n,:", at_), text_.size());
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  // Without its quotes; an unended one goes on to the end of the text.
  Passage string() {
    Passage p{++at_, text_.size()};
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\\') {
        ++at_;
      } else if (text_[at_] == '"') {
        p.end = at_++;
        return p;
      }
    }
    at_ = text_.size();
    return p;
  }

  // Strings of the value are added to `hidden` where that is given. False at the end of the text.
  bool value(Passages* hidden, int depth) {
    const char c = next();
    if (c == '\0') return false;
    if (c == '{' && depth < kDeepest) return object(hidden, depth);
    if (c == '[' && depth < kDeepest) return array(hidden, depth);
    if (c == '"') {
      const Passage p = string();
      if (hidden != nullptr && p.end > p.begin) hidden->push_back(p);
      return true;
    }
    at_ = std::min(text_.find_first_of(" \t\r\n,:]}\"{[", at_ + 1), text_.size());
    return true;
  }

  bool array(Passages* hidden, int depth) {
    for (++at_; next() != ']';)
      if (!value(hidden, depth + 1)) return false;
    ++at_;
    return true;
  }

  enum class Kind { unnamed, secret, kubeconfig, other };

  struct Object {
    Kind kind = Kind::unnamed;  // may stand behind what it decides about
    Passages data, users;       // of a Secret, of a kubeconfig
  };

  bool object(Passages* hidden, int depth) {
    Object object;
    const std::size_t of_items = unclaimed_.size();
    bool whole = true;
    for (++at_; whole && next() != '}';) {
      if (text_.size() == at_)
        whole = false;
      else if (text_[at_] != '"')
        whole = value(hidden, depth + 1);
      else
        whole = member(hidden, object, depth);
    }
    if (whole) ++at_;
    settle(object, of_items, whole);
    return whole;
  }

  // Items of a SecretList name no kind: what they hold waits for that of the list.
  void settle(Object& object, std::size_t of_items, bool whole) {
    const auto move_to = [](Passages& to, auto begin, auto end) { std::move(begin, end, std::back_inserter(to)); };
    const auto items = unclaimed_.begin() + static_cast<std::ptrdiff_t>(of_items);
    if (object.kind == Kind::secret || !whole) {
      move_to(found_, object.data.begin(), object.data.end());
      move_to(found_, items, unclaimed_.end());
    }
    if (object.kind == Kind::kubeconfig || !whole) move_to(found_, object.users.begin(), object.users.end());
    if (object.kind == Kind::unnamed && whole)
      move_to(unclaimed_, object.data.begin(), object.data.end());
    else
      unclaimed_.erase(items, unclaimed_.end());
  }

  Kind kind_here() const {
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("\"Secret\"") || rest.starts_with("\"SecretList\"")) return Kind::secret;
    return rest.starts_with("\"Config\"") ? Kind::kubeconfig : Kind::other;
  }

  bool member(Passages* hidden, Object& of, int depth) {
    const Passage name = string();
    const std::string_view key = text_.substr(name.begin, name.end - name.begin);
    if (next() == '\0') return false;
    if (key == "kind") of.kind = kind_here();
    if (key == kAppliedKey) return applied(hidden);
    if (hidden != nullptr) return value(hidden, depth + 1);
    if (what_ == Of::secrets && key == "users") return value(&of.users, depth + 1);
    if (what_ == Of::secrets) return value(key == "data" || key == "stringData" ? &of.data : nullptr, depth + 1);
    if (key == "env" || key == "httpHeaders") return variables(depth + 1);
    return value(key == "args" || key == "command" ? &found_ : nullptr, depth + 1);
  }

  // The annotation last-applied-configuration: the object as it was applied, as a string.
  bool applied(Passages* hidden) {
    if (next() != '"') return value(hidden, kDeepest);
    const Passage p = string();
    const bool of_secret = text_.substr(p.begin, p.end - p.begin).find("Secret") != std::string_view::npos;
    if (of_secret || what_ == Of::environment || hidden != nullptr) found_.push_back(p);
    return true;
  }

  // [{"name": …, "value": …}, …]: the values alone.
  bool variables(int depth) {
    const std::size_t begin = at_;
    Passages all;
    const bool whole = value(&all, depth);
    for (const Passage& p : all) {
      const std::string_view before = text_.substr(begin, p.begin - begin);
      const std::size_t key = before.rfind("\"value\"");
      if (key != std::string_view::npos && before.find_first_not_of(" \t\r\n:\"", key + 7) == std::string_view::npos)
        found_.push_back(p);
    }
    return whole;
  }

  std::string_view text_;
  Of what_;
  Passages& found_;
  Passages unclaimed_;  // data of objects that name no kind
  std::size_t at_ = 0;
};

}  // namespace

void find_in_json(std::string_view text, Of what, Passages& found) { JsonSearch(text, what, found).search(); }

}  // namespace egt::parsers::secrets
