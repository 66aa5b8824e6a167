// Secrets in Kubernetes objects as YAML. Lines are looked at, not documents: the text has to stay as it is elsewhere, and a
// document that is damaged or cut must not show what a whole one would hide.
#include <algorithm>
#include <vector>

#include "egtrace/base/text.h"
#include "secrets/passages.h"

namespace egt::parsers::secrets {
namespace {

constexpr std::string_view kApplied = "kubectl.kubernetes.io/last-applied-configuration";

struct YamlLine {
  std::size_t at = 0;     // of the line in the text
  std::size_t outer = 0;  // blanks before it
  std::size_t inner = 0;  // where its key stands, behind the dashes of lists
  std::string_view text;  // from there on
  bool item = false;      // a dash stands before
};

std::vector<YamlLine> yaml_lines(std::string_view text) {
  std::vector<YamlLine> lines;
  for (std::string_view rest = text; !rest.empty();) {
    YamlLine line;
    line.at = text.size() - rest.size();
    const std::string_view whole = next_line(rest);
    line.text = trim_left(whole);
    line.outer = line.inner = whole.size() - line.text.size();
    while (line.text.starts_with("- ")) {
      line.item = true;
      line.text = trim_left(line.text.substr(2));
      line.inner = whole.size() - line.text.size();
    }
    lines.push_back(line);
  }
  return lines;
}

// The value behind the key, trimmed; npos where the line has another key.
std::size_t value_behind(const YamlLine& line, std::string_view key) {
  std::string_view text = line.text;
  const bool quoted = text.starts_with('"') || text.starts_with('\'');
  if (quoted) text.remove_prefix(1);
  if (!text.starts_with(key)) return std::string_view::npos;
  const std::string_view behind = text.substr(key.size() + (quoted && text.size() > key.size() ? 1 : 0));
  return behind.starts_with(':') ? static_cast<std::size_t>(behind.data() + 1 - line.text.data()) : std::string_view::npos;
}

bool has_key(const YamlLine& line, std::string_view key) { return value_behind(line, key) != std::string_view::npos; }

class YamlSearch {
 public:
  YamlSearch(std::string_view text, Of what, Passages& found) : lines_(yaml_lines(text)), what_(what), found_(found) {}

  void search() {
    for (std::size_t begin = 0; begin < lines_.size();) {
      if (begin == 0 || begins_document(lines_[begin])) list_of_secrets_ = is_list_of_secrets(begin);
      const std::size_t end = end_of_object(begin);
      if (what_ == Of::environment) {
        environment(begin, end);
      } else {
        if (list_of_secrets_ || is_secret(begin, end)) secret(begin, end);
        if (is_kubeconfig(begin, end)) kubeconfig(begin, end);
      }
      begin = end;
    }
  }

 private:
  // Documents, and the items of a List: each is an object.
  std::size_t end_of_object(std::size_t begin) {
    for (std::size_t i = begin; i < lines_.size(); ++i) {
      const YamlLine& line = lines_[i];
      if (line.outer == 0 && has_key(line, "items")) of_items_ = kNextItem;
      if (line.item && of_items_ == kNextItem) of_items_ = line.outer;
      const bool document = begins_document(line);
      if (document) of_items_ = kNoItems;
      if (i > begin && (document || (line.item && line.outer == of_items_))) return i;
    }
    return lines_.size();
  }

  static bool begins_document(const YamlLine& line) { return line.outer == 0 && line.text.starts_with("---"); }

  // Its items name no kind.
  bool is_list_of_secrets(std::size_t begin) const {
    for (std::size_t i = begin; i < lines_.size() && (i == begin || !begins_document(lines_[i])); ++i)
      if (lines_[i].outer == 0 && has_key(lines_[i], "kind") && lines_[i].text.find("SecretList") != std::string_view::npos)
        return true;
    return false;
  }

  bool any_line(std::size_t begin, std::size_t end, auto&& is_it) const {
    return std::any_of(lines_.begin() + static_cast<std::ptrdiff_t>(begin), lines_.begin() + static_cast<std::ptrdiff_t>(end),
                       is_it);
  }

  bool is_secret(std::size_t begin, std::size_t end) const {
    return any_line(begin, end, [](const YamlLine& line) {
      const std::size_t kind = line.text.find("kind");
      return kind != std::string_view::npos && line.text.find("Secret", kind) != std::string_view::npos;
    });
  }

  bool is_kubeconfig(std::size_t begin, std::size_t end) const {
    return any_line(begin, end, [](const YamlLine& line) {
      const std::size_t value = line.outer == 0 ? value_behind(line, "kind") : std::string_view::npos;
      return value != std::string_view::npos && trim(line.text.substr(value)) == "Config";
    });
  }

  // Credentials of users: certificates, tokens, passwords, commands with their environment.
  void kubeconfig(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (lines_[i].outer == 0 && has_key(lines_[i], "users")) hide_value(i, end, "users");
  }

  void secret(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (has_key(lines_[i], kApplied)) hide_value(i, end, kApplied);
      for (const std::string_view key : {std::string_view("data"), std::string_view("stringData")})
        if (has_key(lines_[i], key)) hide_mapping(i, end, key);
      hide_in_flow(lines_[i]);
    }
  }

  void environment(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (has_key(lines_[i], kApplied)) hide_value(i, end, kApplied);
      if (has_key(lines_[i], "env") || has_key(lines_[i], "httpHeaders")) hide_variables(i, end);
      for (const std::string_view key : {std::string_view("args"), std::string_view("command")})
        if (has_key(lines_[i], key)) hide_list(i, end, key);
    }
  }

  // Where what belongs to the key of line `i` ends: deeper lines, and the items of a list that stands beneath it.
  std::size_t end_of_block(std::size_t i, std::size_t end) const {
    std::size_t j = i + 1;
    while (j < end && (lines_[j].text.empty() || lines_[j].outer > lines_[i].inner ||
                       (lines_[j].item && lines_[j].outer == lines_[i].inner && !lines_[i].text.empty())))
      ++j;
    return j;
  }

  void hide(std::size_t first, std::size_t begin, std::size_t last) {
    const YamlLine& end = lines_[last];
    const std::size_t stop = end.at + end.inner + trim_right(end.text).size();
    if (stop > begin && first <= last) found_.push_back({begin, stop});
  }

  void hide_value(std::size_t i, std::size_t end, std::string_view key) {
    const YamlLine& line = lines_[i];
    const std::string_view value = trim_left(line.text.substr(value_behind(line, key)));
    std::size_t last = end_of_block(i, end) - 1;
    while (last > i && lines_[last].text.empty()) --last;
    const std::size_t behind = value.empty() ? line.text.size() : static_cast<std::size_t>(value.data() - line.text.data());
    hide(i, line.at + line.inner + behind, last);
  }

  void hide_mapping(std::size_t i, std::size_t end, std::string_view key) {
    const std::size_t block = end_of_block(i, end);
    if (!trim(lines_[i].text.substr(value_behind(lines_[i], key))).empty()) return hide_value(i, end, key);
    for (std::size_t j = i + 1; j < block;) {
      const std::size_t colon = lines_[j].text.find(':');
      const std::size_t next = std::min(std::max(end_of_block(j, block), j + 1), block);
      if (colon != std::string_view::npos)
        hide_value(j, block, lines_[j].text.substr(0, colon));
      else if (!lines_[j].text.empty())
        hide(j, lines_[j].at + lines_[j].inner, next - 1);
      j = next;
    }
  }

  void hide_variables(std::size_t i, std::size_t end) {
    const std::size_t block = end_of_block(i, end);
    hide_flow_values(lines_[i]);
    for (std::size_t j = i + 1; j < block; ++j)
      if (has_key(lines_[j], "value"))
        hide_value(j, block, "value");
      else
        hide_flow_values(lines_[j]);
  }

  // "{name: A, value: …}", several of them perhaps: the values alone.
  void hide_flow_values(const YamlLine& line) {
    constexpr std::string_view kKey = "value:";
    if (line.text.find('{') == std::string_view::npos) return;
    for (std::size_t key = line.text.find(kKey); key != std::string_view::npos; key = line.text.find(kKey, key + kKey.size())) {
      const std::size_t begin = std::min(line.text.find_first_not_of(' ', key + kKey.size()), line.text.size());
      const char first = begin < line.text.size() ? line.text[begin] : '\0';
      const bool quoted = first == '"' || first == '\'';
      const std::size_t stop = quoted ? line.text.find(first, begin + 1) : line.text.find_first_of(",}", begin);
      const std::size_t end = stop == std::string_view::npos ? trim_right(line.text).size() : stop + (quoted ? 1 : 0);
      if (end > begin) found_.push_back({line.at + line.inner + begin, line.at + line.inner + end});
    }
  }

  void hide_list(std::size_t i, std::size_t end, std::string_view key) {
    const std::size_t block = end_of_block(i, end);
    if (!trim(lines_[i].text.substr(value_behind(lines_[i], key))).empty()) return hide_value(i, end, key);
    for (std::size_t j = i + 1; j < block; ++j)
      if (!lines_[j].text.empty()) hide(j, lines_[j].at + lines_[j].inner, j);
  }

  // {kind: Secret, data: {…}}: all that follows on the line.
  void hide_in_flow(const YamlLine& line) {
    if (line.text.find('{') == std::string_view::npos) return;
    const std::size_t data = std::min(line.text.find("data:"), line.text.find("stringData:"));
    if (data == std::string_view::npos || data == 0) return;
    const std::size_t begin = line.at + line.inner + data;
    found_.push_back({begin, line.at + line.inner + trim_right(line.text).size()});
  }

  static constexpr std::size_t kNoItems = std::string_view::npos, kNextItem = kNoItems - 1;
  std::vector<YamlLine> lines_;
  Of what_;
  Passages& found_;
  std::size_t of_items_ = kNoItems;  // how deep the items of the List stand
  bool list_of_secrets_ = false;     // the document is one
};

}  // namespace

void find_in_yaml(std::string_view text, Of what, Passages& found) { YamlSearch(text, what, found).search(); }

}  // namespace egt::parsers::secrets
