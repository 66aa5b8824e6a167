#include "ovs_ofctl/flow_line.h"

#include "egtrace/base/columns.h"
#include "ovs_ofctl/values.h"
#include "support/cursor.h"

namespace egt::parsers {

void FlowLine::clear() {
  indent = 0;
  stats.clear();
  priority.reset();
  match.clear();
  comma_before_actions = has_actions = false;
  placed = true;
  actions = {};
  table = 0;
  cookie = 0;
  use = {};
}

namespace ofctl {
namespace {

constexpr std::size_t kLongestShown = 40;

std::string shown(std::string_view text) {
  std::string out(text.substr(0, bytes_within(text, kLongestShown)));
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return out;
}

double seconds_of(const FlowStat& duration) {
  double scale = 1;
  for (unsigned i = 0; i < duration.digits; ++i) scale *= 10;
  return static_cast<double>(duration.value) + static_cast<double>(duration.fraction) / scale;
}

constexpr bool is_separator(char c) { return c == ',' || c == ' ' || c == '\t'; }

class FlowReader {
 public:
  FlowReader(std::string_view text, FlowLine& line, TextError& error) : cursor_(text), text_(text), line_(line), error_(error) {}

  bool read() {
    line_.clear();
    line_.indent = static_cast<std::uint16_t>(cursor_.take_while([](char c) { return c == ' '; }).size());
    while (!line_.has_actions && skip_separators()) term();
    if (!line_.has_actions) cut_short();
    return good_;
  }

 private:
  // What stands at the cut may have gone on: "priority=10" of "priority=1001".
  void cut_short() {
    fail("no actions: the line is cut short or is no flow", cursor_.column());
    line_.placed = line_.placed && !line_.match.empty();
    if (!line_.match.empty()) line_.match.pop_back();
  }

  bool skip_separators() {
    before_ = ' ';
    while (!cursor_.done() && is_separator(cursor_.peek())) {
      before_ = cursor_.peek();
      cursor_.skip();
    }
    return !cursor_.done();
  }

  void fail(std::string message, std::uint32_t column) {
    if (good_) error_ = {std::move(message), column};
    good_ = false;
  }

  void term() {
    const std::uint32_t column = cursor_.column();
    const std::string_view key = cursor_.take_while([](char c) { return c != '=' && c != '[' && !is_separator(c); });
    const KeyInfo& info = key_info(key);
    if (info.kind == KeyInfo::Kind::field && cursor_.peek() == '[') return bits_of_field(key, info.field, column);
    if (cursor_.peek() == '[') {
      cursor_.take_while([](char c) { return !is_separator(c); });
      return fail("unknown field '" + shown(key) + "'", column);
    }
    const bool has_value = cursor_.take('=');
    if (info.kind == KeyInfo::Kind::actions && has_value) return actions();
    const std::string_view value = has_value ? take_value() : std::string_view{};
    switch (info.kind) {
      case KeyInfo::Kind::field: return field_term(key, info.field, has_value, value, column);
      case KeyInfo::Kind::protocol:
        if (has_value) return fail("a protocol takes no value: '" + shown(key) + "'", column);
        line_.match.push_back({});
        line_.match.back().name = key;
        return;
      case KeyInfo::Kind::stat: return stat(info.stat, value, column);
      case KeyInfo::Kind::flag: {
        FlowStat s;
        s.kind = FlowStat::Kind::flag;
        s.text = key;
        line_.stats.push_back(s);
        return;
      }
      case KeyInfo::Kind::priority: return priority(value, column);
      default: return fail("unknown field '" + shown(key) + "'", column);
    }
  }

  std::string_view take_value() {
    if (cursor_.peek() == '"') {
      const std::string_view all = cursor_.rest();
      std::size_t end = 1;
      while (end < all.size() && all[end] != '"') end += all[end] == '\\' ? 2 : 1;
      end = end < all.size() ? end + 1 : all.size();
      cursor_.skip(end);
      return all.substr(0, end);
    }
    if (cursor_.peek() == '(') {
      const std::string_view all = cursor_.rest();
      const std::size_t end = all.find(')');
      const std::string_view value = all.substr(0, end == std::string_view::npos ? all.size() : end + 1);
      cursor_.skip(value.size());
      return value;
    }
    return cursor_.take_while([](char c) { return !is_separator(c); });
  }

  void actions() {
    line_.has_actions = true;
    line_.comma_before_actions = before_ == ',' && !(line_.match.empty() && !line_.priority);
    line_.actions = trim_right(cursor_.rest());
  }

  void field_term(std::string_view key, FieldId id, bool has_value, std::string_view value, std::uint32_t column) {
    MatchItem item;
    item.field = id;
    item.name = key;
    if (has_value) {
      const char* why = "not understood";
      if (!read_match_value(value, item, why))
        return fail(std::string(why) + ": '" + shown(value) + "'", column + static_cast<std::uint32_t>(key.size()) + 1);
    } else if (id < FieldId::tun_metadata0 || id > FieldId::tun_metadata7) {
      return fail("field without a value: '" + shown(key) + "'", column);
    }
    line_.match.push_back(item);
  }

  // "tp_src[6..10]=19", as a user may type it.
  void bits_of_field(std::string_view key, FieldId id, std::uint32_t column) {
    const std::string_view range = cursor_.take_while([](char c) { return c != '=' && !is_separator(c); });
    const std::string_view value = cursor_.take('=') ? take_value() : std::string_view{};
    const auto part = parse_subfield(text_.substr(column - 1, key.size() + range.size()));
    Number n;
    if (!part || !read_number(value, n) || (n.value & ~ones(part->bits)) != 0)
      return fail("not bits of a field: '" + shown(key) + "'", column);
    MatchItem item;
    item.field = id;
    item.name = key;
    item.text = range;
    item.form = item.mask_form = ValueForm::hexadecimal;
    item.value = n.value << part->first;
    item.mask = ones(part->bits) << part->first;
    line_.match.push_back(item);
  }

  void priority(std::string_view value, std::uint32_t column) {
    Number n;
    if (!read_number(value, n) || n.value > 0xffff) {
      line_.placed = false;
      return fail("not a priority: '" + shown(value) + "'", column);
    }
    line_.priority = static_cast<std::uint16_t>(n.value);
  }

  void stat(FlowStat::Kind kind, std::string_view value, std::uint32_t column) {
    FlowStat s;
    s.kind = kind;
    if (!read_stat(value, s)) {
      line_.placed = line_.placed && kind != FlowStat::Kind::table && kind != FlowStat::Kind::table_id;
      return fail("not understood: '" + shown(value) + "'", column);
    }
    switch (kind) {
      case FlowStat::Kind::cookie: line_.cookie = s.value; break;
      case FlowStat::Kind::n_packets: line_.use.n_packets = s.value; break;
      case FlowStat::Kind::duration: line_.use.duration = seconds_of(s); break;
      case FlowStat::Kind::idle_age: line_.use.idle_age = s.value; break;
      case FlowStat::Kind::table:
      case FlowStat::Kind::table_id:
        if (s.text.empty() && s.value <= 0xff) {
          line_.table = static_cast<std::uint8_t>(s.value);
          break;
        }
        line_.placed = false;
        fail("no number is known for table '" + shown(value) + "'", column);
        break;
      default: break;
    }
    line_.stats.push_back(s);
  }

  bool read_stat(std::string_view value, FlowStat& s) {
    if (s.kind == FlowStat::Kind::duration) return read_duration(value, s);
    if (s.kind == FlowStat::Kind::cookie) {
      // Sixteen digits fill a cookie; a mask behind it belongs to requests, not to dumps.
      Number n;
      if (!read_number(value, n) || high64(n.value) != 0) return false;
      s.value = low64(n.value);
      return true;
    }
    std::uint64_t v = 0;
    if (value.empty() || value.size() > 20) return false;
    for (const char c : value) {
      if (!is_digit(c)) {
        s.text = value;
        return s.kind == FlowStat::Kind::table;
      }
      v = v * 10 + static_cast<unsigned>(c - '0');
    }
    s.value = v;
    return true;
  }

  static bool read_duration(std::string_view v, FlowStat& s) {
    if (v.empty() || v.back() != 's') return false;
    v.remove_suffix(1);
    std::size_t i = 0;
    for (; i < v.size() && is_digit(v[i]); ++i) s.value = s.value * 10 + static_cast<unsigned>(v[i] - '0');
    if (i == 0 || i > 18) return false;
    if (i == v.size()) return true;
    if (v[i++] != '.' || i == v.size() || v.size() - i > 9) return false;
    for (; i < v.size(); ++i, ++s.digits) {
      if (!is_digit(v[i])) return false;
      s.fraction = s.fraction * 10 + static_cast<unsigned>(v[i] - '0');
    }
    return true;
  }

  Cursor cursor_;
  std::string_view text_;
  FlowLine& line_;
  TextError& error_;
  char before_ = ' ';
  bool good_ = true;
};

constexpr std::string_view kStatWords[] = {"cookie",       "duration",     "table",      "table_id", "n_packets", "n_bytes",
                                           "idle_timeout", "hard_timeout", "importance", "idle_age", "hard_age"};

void write_stat(const FlowStat& s, std::string& out) {
  if (s.kind == FlowStat::Kind::flag) {
    out += s.text;
    out += ' ';
    return;
  }
  out += stat_word(s);
  out += '=';
  if (s.kind == FlowStat::Kind::cookie) {
    write_padded_hex(s.value, 1, out);
  } else if (s.kind == FlowStat::Kind::duration) {
    write_duration(s, out);
    out += 's';
  } else if (!s.text.empty()) {
    write_name(s.text, out);
  } else {
    write_decimal(s.value, out);
  }
  out += ", ";
}

void write_match(const FlowLine& line, std::string& out) {
  if (line.priority) {
    out += "priority=";
    write_decimal(*line.priority, out);
  }
  bool first = !line.priority;
  for (const MatchItem& item : line.match) {
    if (!first) out += ',';
    first = false;
    write_match_item(item, out);
  }
}

}  // namespace

std::string_view stat_word(const FlowStat& s) {
  return s.kind == FlowStat::Kind::flag ? s.text : kStatWords[static_cast<std::size_t>(s.kind)];
}

void write_duration(const FlowStat& s, std::string& out) {
  write_decimal(s.value, out);
  if (s.digits == 0) return;
  std::string digits;
  write_decimal(s.fraction, digits);
  out += '.';
  if (digits.size() < s.digits) out.append(s.digits - digits.size(), '0');
  out += digits;
}

bool read_flow_line(std::string_view text, FlowLine& line, TextError& error) {
  if (text.size() > kLongestFlow) {
    FlowReader(text.substr(0, kLongestShownFlow), line, error).read();  // where it stands, and the beginning of its match
    error = {kTooLong, static_cast<std::uint32_t>(kLongestFlow)};
    return false;
  }
  return FlowReader(text, line, error).read();
}

void write_flow_head(const FlowLine& line, std::string& out) {
  out.append(line.indent, ' ');
  for (const FlowStat& s : line.stats) write_stat(s, out);
  write_match(line, out);
  if (line.priority || !line.match.empty()) out += line.comma_before_actions ? ',' : ' ';
  out += "actions=";
}

Collected collect_words(const FlowLine& line, WordSet& words, const PortResolver& ports) {
  words.clear();
  Collected result;
  for (const MatchItem& item : line.match) {
    const Added added = add_item(item, words, ports);
    if (added != Added::yes && !result.failed) result = {added, &item};
  }
  return result;
}

std::string why_not_collected(const Collected& c) {
  if (!c.failed) return {};
  if (c.how == Added::inconsistency) return "contradicts what the line says before: '" + shown(c.failed->name) + "'";
  if (c.failed->form == ValueForm::name) return "no number is known for port '" + shown(c.failed->text) + "'";
  return "the presence of a tunnel option cannot be expressed";
}

}  // namespace ofctl

Result<FlowLine, TextError> parse_flow_line(std::string_view text) {
  FlowLine line;
  TextError error;
  if (!ofctl::read_flow_line(text, line, error)) return error;
  return line;
}

std::string format_flow_line(const FlowLine& line) {
  std::string out;
  ofctl::write_flow_head(line, out);
  return out + format_actions(parse_actions(line.actions));
}

std::string normal_flow_line(const FlowLine& line) {
  ofctl::WordSet words;
  if (ofctl::collect_words(line, words, {}).failed) return format_flow_line(line);
  FlowLine head = line;
  head.match.clear();
  head.comma_before_actions = false;
  std::string out;
  ofctl::write_flow_head(head, out);
  out.resize(out.size() - std::string_view("actions=").size());
  const bool had_priority = line.priority.has_value();
  if (had_priority) out.pop_back();
  std::string match = format_match(words.view());
  if (line.priority == 32768) {
    out.resize(out.size() - std::string_view("priority=32768").size());
  } else if (had_priority && !match.empty()) {
    out += ',';
  }
  out += match;
  if (!match.empty() || (had_priority && line.priority != 32768)) out += ' ';
  return out + "actions=" + format_actions(parse_actions(line.actions));
}

Result<openflow::Match, TextError> parse_match(std::string_view text, const PortResolver& ports) {
  FlowLine line;
  TextError error;
  std::string all(text);
  all += " actions=";
  if (!ofctl::read_flow_line(all, line, error)) return error;
  openflow::Match match;
  ofctl::WordSet words;
  if (const auto c = ofctl::collect_words(line, words, ports); c.failed)
    return TextError{ofctl::why_not_collected(c), column_of(c.failed->name, all)};
  for (const openflow::MatchWord& w : words.view()) match.require(w);
  return match;
}

}  // namespace egt::parsers
