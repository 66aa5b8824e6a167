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

  bool object(Passages* hidden, int depth) {
    Passages data;   // counts once the kind is known, which stands behind it
    bool is_secret = false, whole = true;
    for (++at_; whole && next() != '}';) {
      if (text_.size() == at_) whole = false;
      else if (text_[at_] != '"') whole = value(hidden, depth + 1);
      else whole = member(hidden, data, is_secret, depth);
    }
    if (whole) ++at_;
    if (is_secret || !whole) std::move(data.begin(), data.end(), std::back_inserter(found_));
    return whole;
  }

  bool member(Passages* hidden, Passages& data, bool& is_secret, int depth) {
    const Passage name = string();
    const std::string_view key = text_.substr(name.begin, name.end - name.begin);
    if (next() == '\0') return false;
    if (key == "kind" && text_.substr(at_).starts_with("\"Secret\"")) is_secret = true;
    if (key == kAppliedKey) return applied(hidden);
    if (hidden != nullptr) return value(hidden, depth + 1);
    if (what_ == Of::secrets) return value(key == "data" || key == "stringData" ? &data : nullptr, depth + 1);
    if (key == "env") return variables(depth + 1);
    return value(key == "args" || key == "command" ? &found_ : nullptr, depth + 1);
  }

  // The object as somebody handed it in, as a string.
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
      if (key != std::string_view::npos && before.find_first_not_of(" \t\r\n:\"", key + 7) == std::string_view::npos) found_.push_back(p);
    }
    return whole;
  }

  std::string_view text_;
  Of what_;
  Passages& found_;
  std::size_t at_ = 0;
};

}  // namespace

void find_in_json(std::string_view text, Of what, Passages& found) { JsonSearch(text, what, found).search(); }

}  // namespace egt::parsers::secrets
