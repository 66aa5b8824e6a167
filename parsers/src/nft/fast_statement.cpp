// The statements that most rules consist of, read by hand: many times quicker than the grammar, and the same tree. What
// is not certainly one of these is left to the grammar, so everything here may give up at any point.
#include <algorithm>
#include <array>

#include "egtrace/base/text.h"
#include "nft/grammar.h"
#include "nft/keywords.h"

namespace egt::parsers::nft {
namespace {

constexpr std::size_t kMostParts = 32;  // of a list or concatenation

bool is_word(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-'; }

// Words of one line that are separated by single blanks.
class Words {
 public:
  Words(Position at, Position last) : at_(at), last_(last) {}

  Position position() const { return at_; }
  bool at_end() const { return at_ == last_; }
  char peek() const { return at_ == last_ ? '\0' : *at_; }
  std::string_view rest() const { return {at_, static_cast<std::size_t>(last_ - at_)}; }

  // A word of letters, digits, '_' and '-', which must end at a blank or the end.
  std::string_view word() {
    Position end = at_;
    while (end != last_ && is_word(*end)) ++end;
    if (end != last_ && *end != ' ') return {};
    return {at_, static_cast<std::size_t>(end - at_)};
  }
  void skip(std::size_t n) { at_ += n; }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  // A blank with something behind it that is no blank.
  bool blank() {
    if (last_ - at_ < 2 || *at_ != ' ' || at_[1] == ' ' || at_[1] == '\t') return false;
    ++at_;
    return true;
  }
  bool literal(Expression& out) { return !at_end() && *at_ != ' ' && parse_literal(at_, last_, out); }
  bool number(std::uint64_t& out) {
    Position end = at_;
    while (end != last_ && is_digit(*end)) ++end;
    const auto n = parse_decimal({at_, static_cast<std::size_t>(end - at_)});
    if (!n || (end != last_ && *end != ' ')) return false;
    out = *n;
    at_ = end;
    return true;
  }
  // The statement ends here: nothing follows, or the word of another statement (not an operator).
  bool ends() const {
    if (at_ == last_) return true;
    if (*at_ != ' ' || last_ - at_ < 2) return false;
    return at_[1] == '@' || (at_[1] >= 'a' && at_[1] <= 'z');
  }
  // Whether the next words are none that go on with a value.
  bool next_is(std::string_view word) const {
    const std::string_view r = rest();
    return r.size() > word.size() && r.substr(1, word.size()) == word &&
           (r.size() == word.size() + 1 || r[word.size() + 1] == ' ');
  }

 private:
  Position at_, last_;
};

bool is_verdict(std::string_view w) { return w == "accept" || w == "drop" || w == "continue" || w == "return"; }
bool is_call(std::string_view w) { return w == "jump" || w == "goto"; }

// Names of chains as the grammar takes them without quotes.
bool chain_name(Words& in, std::string& out) {
  const std::string_view r = in.rest();
  std::size_t n = 0;
  while (n < r.size() && (is_word(r[n]) || r[n] == '.' || r[n] == '/' || r[n] == '\\')) ++n;
  if (n == 0 || r[0] == '-' || r[0] == '/' || r[0] == '\\' || (n < r.size() && r[n] != ' ' && r[n] != ',')) return false;
  out.assign(r.substr(0, n));
  in.skip(n);
  return true;
}

bool verdict(Words& in, std::string_view word, VerdictExpr& out) {
  out.kind.assign(word);
  in.skip(word.size());
  if (is_verdict(word)) return true;
  return is_call(word) && in.blank() && chain_name(in, out.chain);
}

bool counter(Words& in, Statement& out) {
  in.skip(std::string_view("counter").size());
  Counter c;
  if (in.next_is("name")) return false;
  if (in.next_is("packets")) {
    in.blank();
    in.skip(std::string_view("packets").size());
    std::uint64_t packets = 0, bytes = 0;
    if (!in.blank() || !in.number(packets) || !in.next_is("bytes") || !in.blank()) return false;
    in.skip(std::string_view("bytes").size());
    if (!in.blank() || !in.number(bytes)) return false;
    c.values = std::pair{packets, bytes};
  }
  out.node = std::move(c);
  return in.ends();
}

// "ip saddr", "tcp dport", "meta mark", "iifname", "ct state", "fib daddr type".
bool selector(Words& in, Expression& out) {
  const std::string_view first = in.word();
  if (first.empty() || first == "ipsec") return false;  // "ipsec in reqid" is no "meta ipsec"
  if (is_bare_meta_key(first)) {
    in.skip(first.size());
    out.node = Meta{std::string(first), true};
    return true;
  }
  static constexpr std::string_view kHeaders[] = {"ip", "ip6", "tcp", "udp", "th", "icmp", "icmpv6", "ether"};
  const bool header = std::find(std::begin(kHeaders), std::end(kHeaders), first) != std::end(kHeaders);
  if (!header && first != "meta" && first != "ct") return false;
  in.skip(first.size());
  if (!in.blank()) return false;
  const std::string_view key = in.word();
  in.skip(key.size());
  if (first == "meta") {
    out.node = Meta{std::string(key), false};
    return is_meta_key(key);
  }
  if (first == "ct") {
    out.node = Ct{{}, {}, std::string(key)};
    return key != "original" && key != "reply" && key != "count" && is_ct_key(key);
  }
  out.node = Payload{{}, std::string(first), std::string(key)};
  return key != "option" && is_payload_field(first, key);
}

bool selectors(Words& in, Expression& out) {
  Expression part;
  if (!selector(in, part)) return false;
  if (in.rest().substr(0, 3) != " . ") {
    out = std::move(part);
    return true;
  }
  ConcatExpr all;
  all.parts.push_back(std::move(part));
  while (in.rest().substr(0, 3) == " . ") {
    in.skip(3);
    Expression next;
    if (all.parts.size() > kMostParts || !selector(in, next)) return false;
    all.parts.push_back(std::move(next));
  }
  out.node = std::move(all);
  return true;
}

bool element_key(Words& in, Expression& out) {
  Expression part;
  if (!in.literal(part)) return false;
  if (in.rest().substr(0, 3) != " . ") {
    out = std::move(part);
    return true;
  }
  ConcatExpr all;
  all.parts.push_back(std::move(part));
  while (in.rest().substr(0, 3) == " . ") {
    in.skip(3);
    Expression next;
    if (all.parts.size() > kMostParts || !in.literal(next)) return false;
    all.parts.push_back(std::move(next));
  }
  out.node = std::move(all);
  return true;
}

bool element_data(Words& in, Element& e) {
  Expression data;
  const std::string_view r = in.rest();
  std::size_t n = 0;
  while (n < r.size() && is_word(r[n])) ++n;
  const std::string_view word = r.substr(0, n);
  if (is_verdict(word) || is_call(word)) {
    VerdictExpr v;
    if (!verdict(in, word, v)) return false;
    data.node = std::move(v);
  } else if (word == "queue" || !element_key(in, data)) {
    return false;
  }
  e.data.push_back(std::move(data));
  return true;
}

// "{ 80, 443 }", "{ 10.0.0.1 . 80 : accept }" on one line.
bool set(Words& in, Expression& out) {
  SetExpr s;
  in.skip(1);
  do {
    Element e;
    if (!in.blank() || !element_key(in, e.key)) return false;
    if (in.rest().substr(0, 3) == " : ") {
      in.skip(3);
      if (!element_data(in, e)) return false;
    }
    s.elements.push_back(std::move(e));
  } while (in.take(','));
  if (!in.blank() || !in.take('}')) return false;
  out.node = std::move(s);
  return true;
}

bool set_name(Words& in, Expression& out) {
  in.skip(1);
  std::string name;
  if (!chain_name(in, name)) return false;
  out.node = SetReference{std::move(name)};
  return true;
}

bool operand(Words& in, Expression& out) {
  if (in.peek() == '{') return set(in, out);
  if (in.peek() == '@') return set_name(in, out);
  Expression first;
  if (!in.literal(first)) return false;
  if (in.peek() != ',') {
    out = std::move(first);
    return true;
  }
  ListExpr all;
  all.parts.push_back(std::move(first));
  while (in.take(',')) {
    Expression next;
    if (all.parts.size() > kMostParts || !in.literal(next)) return false;
    all.parts.push_back(std::move(next));
  }
  out.node = std::move(all);
  return true;
}

bool take_op(Words& in, std::string& op) {
  static constexpr std::string_view kOps[] = {"==", "!=", "<=", ">=", "<", ">"};
  for (const std::string_view o : kOps) {
    const std::string_view r = in.rest();
    if (r.size() <= o.size() || r.substr(0, o.size()) != o || r[o.size()] != ' ') continue;
    op.assign(o);
    in.skip(o.size());
    return in.blank();
  }
  return true;
}

bool test(Words& in, Statement& out) {
  Expression left;
  if (!selectors(in, left) || !in.blank()) return false;
  const std::string_view word = in.word();
  if (word == "vmap") {
    VerdictMap m;
    in.skip(word.size());
    if (!in.blank() || (in.peek() != '{' && in.peek() != '@') || !operand(in, m.map)) return false;
    m.key = std::move(left);
    out.node = std::move(m);
    return in.ends();
  }
  if (word == "set") {  // a plain number only: anything else may be the start of an expression
    Assign a;
    in.skip(word.size());
    if (!in.blank() || !is_digit(in.peek()) || !in.literal(a.right)) return false;
    a.left = std::move(left);
    out.node = std::move(a);
    return in.ends();
  }
  if (word == "map" || op_symbol(word) != word) return false;
  Match m;
  if (!take_op(in, m.op) || !operand(in, m.right)) return false;
  m.left = std::move(left);
  out.node = std::move(m);
  return in.ends();
}

bool statement(Words& in, Statement& out) {
  const std::string_view word = in.word();
  if (is_verdict(word) || is_call(word)) {
    VerdictStatement v;
    if (!verdict(in, word, v.verdict)) return false;
    out.node = std::move(v);
    return in.ends();
  }
  if (word == "counter") return counter(in, out);
  return test(in, out);
}

}  // namespace

bool parse_common_statement(Position& first, Position last, Statement& out) {
  Words in(first, last);
  if (!statement(in, out)) return false;
  first = in.position();
  return true;
}

// Elements of a named set, over several lines; up to the closing brace.
bool parse_common_elements(Position& first, Position last, std::vector<Element>& out) {
  Position at = first;
  std::uint32_t line = 0;
  const auto skip = [&] {
    while (at != last && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')) ++at;
  };
  for (skip(); at != last && *at != '}'; skip()) {
    Element e;
    Words in(at, last);
    if (!element_key(in, e.key)) return false;
    if (in.rest().substr(0, 3) == " : ") {
      in.skip(3);
      if (!element_data(in, e)) return false;
    }
    at = in.position();
    e.line = line;
    if (at != last && *at == ',') {
      ++at;
      while (at != last && (*at == ' ' || *at == '\t' || *at == '\r')) ++at;
      if (at != last && *at == '\n') {
        e.ends_line = true;
        ++line;
        ++at;
      }
      out.push_back(std::move(e));
      continue;
    }
    out.push_back(std::move(e));
    skip();
    if (at == last || *at != '}') return false;
  }
  if (at == last) return false;
  first = at;
  return true;
}

}  // namespace egt::parsers::nft
