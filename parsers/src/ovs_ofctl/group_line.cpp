#include "ovs_ofctl/group_line.h"

#include <string>
#include <utility>

#include "egtrace/base/text.h"
#include "ovs_ofctl/actions.h"
#include "ovs_ofctl/flow_line.h"
#include "ovs_ofctl/values.h"
#include "support/cursor.h"
#include "support/key_value.h"

namespace egt::parsers::ofctl {
namespace {

using openflow::Bucket;
using openflow::Group;

bool read_u32(std::string_view text, std::uint32_t& out) {
  Number n;
  if (!read_number(text, n) || n.value > 0xffffffff) return false;
  out = static_cast<std::uint32_t>(n.value);
  return true;
}

// "weight:100" or "weight=100".
KeyValue split_either(std::string_view term) {
  const std::size_t at = term.find_first_of(":=");
  if (at == std::string_view::npos) return {term, {}, false, term};
  return {term.substr(0, at), term.substr(at + 1), true, term};
}

class GroupReader {
 public:
  GroupReader(std::string_view text, GroupLine& out, TextError& error) : text_(text), line_(out), error_(error) {}

  bool read() {
    std::string_view s = text_;
    line_ = {};
    while (s.starts_with(" ")) s.remove_prefix(1), ++line_.indent;
    std::size_t bucket = find_bucket(s, 0);
    if (!properties(s.substr(0, bucket))) return false;
    while (bucket != std::string_view::npos) {
      const std::size_t begin = bucket + std::string_view(",bucket=").size();
      bucket = find_bucket(s, begin);
      const std::size_t end = bucket == std::string_view::npos ? s.size() : bucket;
      if (!read_bucket(s.substr(begin, end - begin))) return false;
    }
    return true;
  }

 private:
  bool fail(std::string message, std::string_view at) {
    error_ = {std::move(message), column_of(at, text_)};
    return false;
  }

  // The next ",bucket=" or ",buckets=" outside parentheses.
  static std::size_t find_bucket(std::string_view s, std::size_t from) {
    std::size_t depth = 0;
    for (std::size_t i = from; i < s.size(); ++i) {
      if (s[i] == '(') ++depth;
      if (s[i] == ')' && depth > 0) --depth;
      if (s[i] == ',' && depth == 0 && s.substr(i + 1).starts_with("bucket=")) return i;
    }
    return std::string_view::npos;
  }

  bool properties(std::string_view s) {
    bool has_type = false;
    std::string_view term;
    while (next_term(s, term)) {
      const KeyValue kv = split_key_value(term, '=');
      Group& g = line_.group;
      if (kv.key == "group_id") {
        line_.has_id = read_u32(kv.value, g.id);
        if (!line_.has_id) return fail("not a group number", kv.whole);
      } else if (kv.key == "type") {
        std::size_t i = 0;
        const std::string_view type = kv.value == "fast_failover" ? "ff" : kv.value;
        while (i < 4 && kGroupTypes[i] != type) ++i;
        if (i == 4) return fail("unknown type of group", kv.whole);
        g.type = static_cast<Group::Type>(i);
        has_type = true;
      } else if (kv.key == "selection_method") {
        g.selection_method = kv.value;
      } else if (kv.key == "selection_method_param") {
        Number n;
        if (!read_number(kv.value, n) || high64(n.value) != 0) return fail("not a number", kv.whole);
        g.selection_param = low64(n.value);
      } else if (term.starts_with("fields(") || term.starts_with("fields=")) {
        g.fields = term.substr(6);
      } else {
        return fail("unknown property of a group", term);
      }
    }
    return (line_.has_id && has_type) || fail("a group needs a number and a type", text_);
  }

  bool read_bucket(std::string_view s) {
    Bucket b;
    std::string_view rest = s;
    while (!rest.empty()) {
      if (consume(rest, "actions=")) {
        b.actions_text = rest;
        break;
      }
      std::string_view probe = rest, term;
      next_term(probe, term);
      const KeyValue kv = split_either(term);
      std::uint32_t n = 0;
      if (kv.key == "bucket_id") {
        if (!read_u32(kv.value, b.id.emplace())) return fail("not a bucket number", term);
      } else if (kv.key == "weight") {
        if (!read_u32(kv.value, n) || n > 0xffff) return fail("not a weight", term);
        b.weight = static_cast<std::uint16_t>(n);
      } else if (kv.key == "watch_port") {
        if (!read_port(kv.value, b.watch_port.emplace())) return fail("not a port", term);
      } else if (kv.key == "watch_group") {
        if (!read_u32(kv.value, b.watch_group.emplace())) return fail("not a group number", term);
      } else {
        b.actions_text = rest;  // a bucket may be typed without "actions="
        break;
      }
      rest = probe;
    }
    std::vector<TextError> errors;
    b.actions = parse_actions(b.actions_text, errors);
    if (!errors.empty()) {
      const std::string_view actions = s.substr(s.size() - b.actions_text.size());
      error_ = {errors.front().message, column_of(actions, text_) + errors.front().column - 1};
      line_.bad_actions = true;
    }
    line_.group.buckets.push_back(std::move(b));
    return true;
  }

  std::string_view text_;
  GroupLine& line_;
  TextError& error_;
};

}  // namespace

bool read_group_line(std::string_view text, GroupLine& line, TextError& error) {
  if (text.size() > kLongestFlow) {
    GroupReader(text.substr(0, kLongestShownFlow), line, error).read();  // its number
    error = {kTooLong, static_cast<std::uint32_t>(kLongestFlow)};
    return false;
  }
  return GroupReader(text, line, error).read();
}

void make_unread(std::string_view text, Group& group) {
  Bucket b;
  b.actions_text = std::string(kUnreadFlow) + std::string(trim(text).substr(0, kLongestShownFlow));
  b.actions = parse_actions(b.actions_text);
  group.buckets.assign(1, std::move(b));
}

}  // namespace egt::parsers::ofctl
