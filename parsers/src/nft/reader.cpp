#include "nft/reader.h"

#include <algorithm>

#include "egtrace/base/text.h"
#include "nft/block_lines.h"
#include "nft/grammar.h"

namespace egt::parsers::nft {
namespace {

constexpr unsigned kMaxBlocks = 16;  // of "jump {" inside each other
constexpr std::string_view kIptablesNote = "is managed by iptables-nft";

struct Line {
  std::string_view raw;   // without '\n' and '\r'
  std::string_view text;  // without blanks around
  std::uint32_t number = 0;
};

// Words of a block's first line: "chain c { # handle 3".
struct Opening {
  std::vector<std::string_view> words;  // up to the brace
  std::optional<std::uint64_t> handle;
  std::string_view program;
};

std::string_view unquote(std::string_view s) {
  if (s.size() >= 2 && s.front() == '"' && s.back() == '"') return s.substr(1, s.size() - 2);
  return s;
}

std::optional<Opening> opening_of(std::string_view text) {
  const std::size_t brace = text.find(" {");
  if (brace == std::string_view::npos) return std::nullopt;
  std::string_view rest = trim(text.substr(brace + 2));
  Opening o;
  o.words = words(text.substr(0, brace));
  if (rest.empty()) return o;
  if (!consume(rest, "#")) return std::nullopt;
  const auto notes = words(rest);
  for (std::size_t i = 0; i + 1 < notes.size(); i += 2) {
    if (notes[i] == "handle") o.handle = parse_decimal(notes[i + 1]);
    if (notes[i] == "progname") o.program = notes[i + 1];
  }
  return o;
}

bool is_object_kind(std::string_view word) {
  return word == "counter" || word == "quota" || word == "limit" || word == "secmark" || word == "synproxy" ||
         word == "flowtable" || word == "tunnel";
}

class Reader {
 public:
  // `most_trees`: how many rules are kept as trees.
  Reader(std::string_view text, std::uint32_t first_line, std::size_t most_trees = SIZE_MAX)
      : rest_(text), next_number_(first_line), most_trees_(most_trees) {}

  Reading run() {
    bool empty_line = false;
    bool warned = false;
    while (next()) {
      if (line_.text.empty()) {
        ignore();
        if (empty_line) add_opaque(result_.document.items);
        empty_line = true;
        continue;
      }
      if (line_.text.front() == '#') {
        ignore();
        if (!warned && line_.text.find(kIptablesNote) != std::string_view::npos) {
          pending_warning_ = line_;
          warned = true;
        } else {
          flush_warning(warned);
          add_opaque(result_.document.items);
        }
        continue;
      }
      const auto opening = opening_of(line_.text);
      if (opening && opening->words.size() == 3 && opening->words[0] == "table") {
        read_table(*opening, empty_line, warned);
      } else if (opening && begins_item(*opening)) {
        flush_warning(warned);
        read_headless(empty_line);
      } else if (is_cut_mark()) {
        if (empty_line) result_.document.items.emplace_back(OpaqueLine{"", line_.number});
        flush_warning(warned);
        ignore();
        add_opaque(result_.document.items);
      } else {
        if (empty_line) result_.document.items.emplace_back(OpaqueLine{"", line_.number});
        flush_warning(warned);
        misread(1, "expected \"table FAMILY NAME {\"");
        add_opaque(result_.document.items);
      }
      empty_line = warned = false;
    }
    flush_warning(warned);
    return std::move(result_);
  }

 private:
  bool next() {
    if (put_back_) {
      put_back_ = false;
      return true;
    }
    if (next_part_ < parts_.size()) {
      line_ = {parts_[next_part_], parts_[next_part_], line_.number};
      ++next_part_;
      return true;
    }
    if (rest_.empty()) return false;
    std::string_view raw = next_line(rest_);
    if (!raw.empty() && raw.back() == '\r') raw.remove_suffix(1);
    line_ = {raw, trim(raw), next_number_++};
    ++result_.lines;
    parts_ = lines_of_blocks(line_.text, in_list_);
    next_part_ = 0;
    return parts_.empty() || next();
  }
  void back() { put_back_ = true; }
  void ignore() { ++result_.ignored; }

  void misread(std::uint32_t column, std::string message) {
    const auto indent = static_cast<std::uint32_t>(line_.text.data() - line_.raw.data());
    result_.misread.push_back({line_.number, column + indent, std::move(message)});
  }
  template <class Items>
  void add_opaque(Items& items) {
    items.emplace_back(OpaqueLine{std::string(line_.raw), line_.number});
  }
  void flush_warning(bool& warned) {
    if (warned) result_.document.items.emplace_back(OpaqueLine{std::string(pending_warning_.raw), pending_warning_.number});
    warned = false;
  }

  void read_table(const Opening& o, bool empty_line, bool warned) {
    Table t;
    t.family = std::string(o.words[1]);
    t.name = std::string(o.words[2]);
    t.handle = o.handle;
    t.program = std::string(o.program);
    t.iptables_warning = warned;
    t.line = line_.number;
    t.empty_line_before = empty_line;
    read_items(t);
    if (!t.closed) truncated("table " + t.family + " " + t.name, t.line);
    result_.document.items.emplace_back(std::move(t));
  }

  // Chains and sets that were cut out of a table: `nft list ruleset | grep -A 5 …`, `nft list chain` without its head.
  void read_headless(bool empty_line) {
    Table t;
    t.headless = true;
    t.family = "inet";
    t.line = line_.number;
    t.empty_line_before = empty_line;
    back();
    read_items(t);
    result_.document.items.emplace_back(std::move(t));
  }

  void read_items(Table& t) {
    bool gap = false;
    while (next()) {
      if (line_.text.empty()) {
        ignore();
        gap = true;
        continue;
      }
      if (line_.text == "}" && !t.headless) {
        t.closed = true;
        break;
      }
      if (starts_table()) {  // the end of this one is missing
        back();
        break;
      }
      read_table_line(t, gap);
      gap = false;
    }
  }

  static bool begins_item(const Opening& o) {
    return o.words.size() == 2 && (o.words[0] == "chain" || o.words[0] == "set" || o.words[0] == "map");
  }
  // What grep leaves between two places, and the end of a block of which it left out the beginning.
  bool is_cut_mark() const { return line_.text == "--" || line_.text == "}"; }

  bool starts_table() const {
    if (line_.raw.substr(0, 6) != "table ") return false;
    const auto o = opening_of(line_.text);
    return o && o->words.size() == 3;
  }
  void truncated(const std::string& what, std::uint32_t line) {
    result_.misread.push_back({line, 0, what + " does not end: the listing is cut"});
  }

  void read_table_line(Table& t, bool gap) {
    const auto o = opening_of(line_.text);
    if (o && o->words.size() == 2 && o->words[0] == "chain") return read_chain(t, *o, gap);
    if (o && o->words.size() == 2 && (o->words[0] == "set" || o->words[0] == "map")) return read_set(t, *o, gap);
    if (o && o->words.size() == 2 && (o->words[0] == "meter")) return read_set(t, *o, gap);
    if (o && o->words.size() == 2 && is_object_kind(o->words[0])) return read_object(t, *o, gap);
    if (o && o->words.size() == 3 && o->words[0] == "ct") return read_object(t, *o, gap);
    if (t.items.empty() && (consume_word("flags") || consume_word("comment"))) {
      t.properties.emplace_back(line_.text);
      return;
    }
    if (line_.text.front() == '#' || is_cut_mark()) {
      ignore();
    } else {
      misread(1, "expected a chain, a set, a map or an object");
      // A block of an unknown kind is kept as a whole, so that its brace does not end the table.
      if (o && o->words.size() >= 2) return read_object(t, *o, gap);
    }
    if (gap) t.items.emplace_back(OpaqueLine{"", line_.number});
    add_opaque(t.items);
  }
  bool consume_word(std::string_view word) const {
    return line_.text.size() > word.size() && line_.text.substr(0, word.size()) == word && is_blank(line_.text[word.size()]);
  }

  // --- chains --------------------------------------------------------------------------------------------------------
  void read_chain(Table& t, const Opening& o, bool gap) {
    Chain c;
    c.name = std::string(o.words[1]);
    c.handle = o.handle;
    c.line = line_.number;
    c.empty_line_before = gap;
    while (next()) {
      if (line_.text.empty()) {
        ignore();
        continue;
      }
      if (line_.text == "}") {
        c.closed = true;
        break;
      }
      if (starts_table() || starts_sibling()) {
        back();
        break;
      }
      read_chain_line(c);
    }
    if (!c.closed) truncated("chain " + c.name, c.line);
    t.items.emplace_back(std::move(c));
  }
  // "chain c {" one tab in: the closing brace of this block is missing.
  bool starts_sibling() const {
    const auto o = opening_of(line_.text);
    return o && begins_item(*o);
  }

  static bool has_rules(const Chain& c) { return !c.rules.empty() || !c.more_rules.empty(); }

  void read_chain_line(Chain& c) {
    if (line_.text.front() == '#') {
      ignore();
      return add_opaque(c.rules);
    }
    if (!c.base && !c.comment && !has_rules(c) && consume_word("comment") && line_.text.back() == '"') {
      c.comment = std::string(unquote(trim(line_.text.substr(7))));
      return;
    }
    if (!c.base && !has_rules(c) && consume_word("type")) {
      c.base = read_base(line_.text);
      if (c.base) {
        c.base->line = line_.number;
        return;
      }
      misread(1, "expected \"type TYPE hook HOOK priority PRIORITY;\"");
      return add_opaque(c.rules);
    }
    if (trees_++ < most_trees_)
      c.rules.emplace_back(read_rule(0));
    else
      keep_as_text(c, rule_text());
  }

  // A rule with a block has more lines than this one.
  void keep_as_text(Chain& c, std::string_view text) {
    Rule rule = read_rule(0);
    c.more_use_xt = c.more_use_xt || uses_xt(rule);
    if (!rule.statements.empty() && std::holds_alternative<BlockVerdict>(rule.statements.back().node)) {
      c.more_rules.emplace_back(Boxed<Rule>(std::move(rule)));
    } else {
      c.more_rules.emplace_back(RuleText{text, rule.line});
    }
  }

  // The line without its indentation; blanks behind tabs belong to the rule.
  std::string_view rule_text() const {
    std::string_view s = line_.raw;
    if (s.empty() || s.front() != '\t') return line_.text;
    while (!s.empty() && s.front() == '\t') s.remove_prefix(1);
    return s;
  }

  Rule read_rule(unsigned depth) {
    const std::string_view text = rule_text();
    Rule r = parse_rule(text);
    r.line = line_.number;
    if (r.opaque_column > 0) {
      const auto indent = static_cast<std::uint32_t>(text.data() - line_.raw.data());
      result_.misread.push_back({line_.number, r.opaque_column + indent, "statement not understood"});
    }
    if (auto* block = r.statements.empty() ? nullptr : std::get_if<BlockVerdict>(&r.statements.back().node)) {
      read_block(*block, depth + 1);
    }
    return r;
  }
  void read_block(BlockVerdict& block, unsigned depth) {
    const std::uint32_t line = line_.number;
    while (next()) {
      if (line_.text == "}") return;
      if (line_.text.empty() || depth > kMaxBlocks) {
        ignore();
        continue;
      }
      if (starts_table() || starts_sibling()) {
        back();
        break;
      }
      block.rules.push_back(read_rule(depth));
    }
    truncated("block", line);
  }

  static std::optional<BaseHeader> read_base(std::string_view text);

  // --- sets ----------------------------------------------------------------------------------------------------------
  void read_set(Table& t, const Opening& o, bool gap) {
    Set s;
    s.is_map = o.words[0] == "map";
    s.name = std::string(o.words[1]);
    s.handle = o.handle;
    s.line = line_.number;
    s.empty_line_before = gap;
    while (next()) {
      if (line_.text.empty()) {
        ignore();
        continue;
      }
      if (line_.text == "}") {
        s.closed = true;
        break;
      }
      if (starts_table() || starts_sibling()) {
        back();
        break;
      }
      read_set_line(s);
    }
    if (!s.closed) truncated("set " + s.name, s.line);
    t.items.emplace_back(std::move(s));
  }

  void read_set_line(Set& s) {
    if (line_.text.substr(0, 10) == "elements =") return read_elements(s);
    if (consume_word("type") || consume_word("typeof")) {
      if (s.type.key.empty()) return read_type(s);
    }
    if (line_.text.front() == '#') {
      ignore();
      s.opaque.push_back({std::string(line_.raw), line_.number});
      return;
    }
    if (consume_word("flags")) {
      for (std::string_view f : split(trim(line_.text.substr(6)), ',')) s.flags.emplace_back(trim(f));
    } else if (!is_set_property()) {
      misread(1, "property of a set not understood");
    }
    s.properties.emplace_back(line_.text);
  }
  bool is_set_property() const {
    static constexpr std::string_view kWords[] = {"size",    "timeout", "gc-interval", "policy", "comment",
                                                  "counter", "quota",   "limit",       "ct",     "last"};
    return line_.text == "auto-merge" || line_.text == "counter" || line_.text == "last" ||
           std::any_of(std::begin(kWords), std::end(kWords), [&](std::string_view w) { return consume_word(w); });
  }

  void read_type(Set& s) {
    std::string_view text = line_.text;
    s.type.by_expression = consume(text, "typeof");
    if (!s.type.by_expression) consume(text, "type");
    const std::size_t colon = text.find(" : ");
    const std::string_view key = text.substr(0, colon);
    split_types(key, s.type.key);
    if (colon == std::string_view::npos) return;
    std::string_view data = trim(text.substr(colon + 3));
    s.type.interval_data = consume(data, "interval ");
    split_types(data, s.type.data);
  }
  // At " . " outside of fib's inputs, which nft cannot distinguish either.
  static void split_types(std::string_view text, std::vector<std::string>& out) {
    text = trim(text);
    while (!text.empty()) {
      const std::size_t dot = text.find(" . ");
      out.emplace_back(trim(text.substr(0, dot)));
      if (dot == std::string_view::npos) return;
      text = text.substr(dot + 3);
    }
  }

  // From "elements = {" to the brace that closes it, on this line or a later one.
  void read_elements(Set& s) {
    const Line start = line_;
    const char* const begin = line_.text.data() + 10;
    std::size_t closing = line_.text.find_last_of('}');
    std::string_view whole(begin, static_cast<std::size_t>(line_.text.data() + line_.text.size() - begin));
    std::vector<std::string_view> more;
    in_list_ = true;
    while (closing == std::string_view::npos && next()) {
      if (line_.text.empty() || starts_table() || starts_sibling()) {
        back();
        break;
      }
      more.push_back(line_.raw);
      closing = line_.text.find_last_of('}');
      whole = {begin, static_cast<std::size_t>(line_.raw.data() + line_.raw.size() - begin)};
      // A chain that follows at once: the list is cut.
      if (line_.text == "}") break;
    }
    in_list_ = false;
    if (!store_elements(s, whole, start.number)) keep_elements(s, start, more);
  }
  bool store_elements(Set& s, std::string_view whole, std::uint32_t line) {
    if (s.elements_present || !nesting_is_sane(whole)) return false;
    Expression list;
    Position at = whole.data();
    const Position last = at + whole.size();
    if (!parse_set(at, last, list) || !trim({at, static_cast<std::size_t>(last - at)}).empty()) return false;
    s.elements = std::move(std::get<SetExpr>(list.node).elements);
    s.elements_present = true;
    s.elements_line = line;
    for (Element& e : s.elements) e.line += line;
    return true;
  }
  void keep_elements(Set& s, const Line& start, const std::vector<std::string_view>& more) {
    result_.misread.push_back({start.number, 0, "elements of set " + s.name + " not understood"});
    s.opaque.push_back({std::string(start.raw), start.number});
    std::uint32_t number = start.number;
    for (std::string_view raw : more) s.opaque.push_back({std::string(raw), ++number});
    if (!more.empty() && trim(more.back()) == "}") {
      s.opaque.pop_back();  // it was the brace of the set
      back();
    }
  }

  // --- objects -------------------------------------------------------------------------------------------------------
  void read_object(Table& t, const Opening& o, bool gap) {
    Object object;
    object.kind = std::string(o.words[0]);
    for (std::size_t i = 1; i + 1 < o.words.size(); ++i) object.kind += " " + std::string(o.words[i]);
    object.known = is_object_kind(object.kind) || (o.words.size() == 3 && o.words[0] == "ct");
    object.name = std::string(o.words.back());
    object.handle = o.handle;
    object.line = line_.number;
    object.empty_line_before = gap;
    while (next()) {
      if (line_.text.empty()) {
        ignore();
        continue;
      }
      if (line_.text == "}") {
        object.closed = true;
        break;
      }
      if (starts_table() || starts_sibling()) {
        back();
        break;
      }
      std::string_view raw = line_.raw;
      object.lines.emplace_back(consume(raw, "\t\t") ? raw : line_.text);
    }
    if (!object.closed) truncated(object.kind + " " + object.name, object.line);
    t.items.emplace_back(std::move(object));
  }

  std::string_view rest_;
  std::uint32_t next_number_;
  std::size_t most_trees_, trees_ = 0;
  Line line_, pending_warning_;
  bool put_back_ = false;
  bool in_list_ = false;                 // of the elements of a set
  std::vector<std::string_view> parts_;  // of a line with several of a listing's
  std::size_t next_part_ = 0;
  Reading result_;
};

// "devices = { "a", b }" or "device "a"" in front of the priority.
void read_devices(std::string_view& text, BaseHeader& base) {
  std::string_view list;
  if (consume(text, "devices = {")) {
    base.device_list = true;
    list = take_until(text, '}');
    text = trim_left(text);
  } else if (consume(text, "device ")) {
    list = take_until(text, ' ');
  }
  for (std::string_view d : split(list, ',')) {
    d = trim(d);
    if (d.empty()) continue;
    base.quoted_devices = d.front() == '"';
    base.devices.emplace_back(unquote(d));
  }
}

std::optional<BaseHeader> Reader::read_base(std::string_view text) {
  BaseHeader base;
  std::string_view head = trim(take_until(text, ';'));
  if (!consume(head, "type ")) return std::nullopt;
  base.type = std::string(take_until(head, ' '));
  if (!consume(head, "hook ")) return std::nullopt;
  base.hook = std::string(take_until(head, ' '));
  read_devices(head, base);
  if (!consume(head, "priority ")) return std::nullopt;
  base.priority = std::string(trim(head));
  while (!(text = trim(text)).empty()) {
    std::string_view part = trim(take_until(text, ';'));
    if (consume(part, "policy ")) {
      base.policy = std::string(part);
    } else if (consume(part, "flags ")) {
      for (std::string_view f : split(part, ',')) base.flags.emplace_back(trim(f));
    } else {
      return std::nullopt;
    }
  }
  return base;
}

}  // namespace

Reading read_listing(std::string_view text, std::uint32_t first_line) { return Reader(text, first_line).run(); }

Reading read_to_lower(std::string_view text, std::uint32_t first_line) {
  constexpr std::size_t kMostTrees = 4096;
  return Reader(text, first_line, kMostTrees).run();
}

}  // namespace egt::parsers::nft
