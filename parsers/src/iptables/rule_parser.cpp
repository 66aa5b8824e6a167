#include "iptables/rule_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "egtrace/base/text.h"
#include "iptables/as_saved.h"
#include "iptables/refuse.h"
#include "iptables/schema.h"
#include "iptables/value.h"

namespace egt::parsers::iptables {
namespace {

constexpr std::uint64_t kAllBits = 0xffffffff;

struct TopLevel {
  char letter;
  std::string_view names[3];
};
constexpr TopLevel kTopLevel[] = {
    {'A', {"-A", "--append"}},
    {'t', {"-t", "--table"}},
    {'s', {"-s", "--source", "--src"}},
    {'d', {"-d", "--destination", "--dst"}},
    {'i', {"-i", "--in-interface"}},
    {'o', {"-o", "--out-interface"}},
    {'p', {"-p", "--protocol", "--proto"}},
    {'m', {"-m", "--match"}},
    {'j', {"-j", "--jump"}},
    {'g', {"-g", "--goto"}},
    {'c', {"-c", "--set-counters"}},
    {'f', {"-f", "--fragment", "--fragments"}},
    {'4', {"-4", "--ipv4"}},
    {'6', {"-6", "--ipv6"}},
    {'w', {"-w", "--wait"}},
};

char top_level(std::string_view word) {
  if (word.size() < 2 || word[0] != '-') return '\0';
  for (const TopLevel& t : kTopLevel)
    for (const std::string_view name : t.names)
      if (!name.empty() && name == word) return t.letter;
  return '\0';
}

// Option words and negation split off: "--x=y" into two, "-ptcp" into two.
std::vector<Word> normalised(std::vector<Word> words) {
  std::vector<Word> out;
  for (Word& w : words) {
    const std::size_t equals = w.text.find('=');
    if (!w.quoted && w.text.starts_with("--") && equals != std::string::npos) {
      out.push_back({w.text.substr(0, equals), false});
      out.push_back({w.text.substr(equals + 1), false});
    } else if (!w.quoted && w.text.size() > 2 && w.text[0] == '-' && w.text[1] != '-' &&
               std::string_view("sdiopmjgAt").find(w.text[1]) != std::string_view::npos) {
      out.push_back({w.text.substr(0, 2), false});
      out.push_back({w.text.substr(2), false});
    } else {
      out.push_back(std::move(w));
    }
  }
  return out;
}

bool is_option_word(const Word& w) {
  if (w.quoted || w.text.size() < 2 || w.text[0] != '-') return false;
  return !is_digit(w.text[1]) || w.text == "-4" || w.text == "-6";
}
// "10/8" is 10.0.0.0/8.
std::string with_all_octets(std::string_view text) {
  constexpr std::ptrdiff_t kDots = 3;
  const std::string_view address = text.substr(0, text.find('/'));
  if (address.empty() || !std::all_of(address.begin(), address.end(), [](char c) { return is_digit(c) || c == '.'; }))
    return std::string(text);
  std::string out(address);
  for (auto dots = std::count(address.begin(), address.end(), '.'); dots < kDots; ++dots) out += ".0";
  return out.append(text.substr(address.size()));
}

bool is_negation(const Word& w) { return !w.quoted && w.text == "!"; }

class RuleParser {
 public:
  RuleParser(std::vector<Word> words, Family family, ParsedRule& out)
      : words_(std::move(words)), family_(family), rule_(out.rule), problem_(out.problem) {}

  void run() {
    while (at_ < words_.size()) step();
    if (negate_) note("a '!' without an option behind it");
  }

 private:
  enum class LastExtension { none, match, target };

  void note(std::string what) {
    if (problem_.empty()) problem_ = std::move(what);
  }

  void step() {
    if (is_negation(words_[at_])) {
      negate_ = true;
      ++at_;
      return;
    }
    const std::string name = words_[at_].text;
    const bool option = is_option_word(words_[at_]);
    // No match or target has an option of a single letter.
    const bool short_option = name.size() == 2;
    if (option && ((short_option && top_level_option(name)) || extension_option(last_, name) ||
                   (!short_option && top_level_option(name)) || any_extension_option(name))) {
      negate_ = false;
      return;
    }
    keep_unknown(option);
    negate_ = false;
  }

  std::optional<std::string> argument() {
    if (at_ + 1 >= words_.size()) return std::nullopt;
    const std::string text = words_[at_ + 1].text;
    at_ += 2;
    return text;
  }

  // An option of the match or target that stands last.
  bool extension_option(LastExtension last, std::string_view name) {
    if (last == LastExtension::target) return rule_.target && typed_option(rule_.target->name, name, rule_.target->options);
    if (last == LastExtension::none || rule_.matches.empty()) return false;
    return typed_option(rule_.matches.back().module, name, rule_.matches.back().options);
  }

  bool any_extension_option(std::string_view name) {
    if (last_ != LastExtension::target && extension_option(LastExtension::target, name)) return true;
    if (last_ == LastExtension::target && !rule_.target->known) return false;  // its own, whatever they are called
    for (auto m = rule_.matches.rbegin(); m != rule_.matches.rend(); ++m)
      if (typed_option(m->module, name, m->options)) return true;
    return implied_option(name);
  }

  // "-p tcp --dport 80" without -m tcp.
  bool implied_option(std::string_view name) {
    if (!rule_.protocol) return false;
    const std::string module(module_of_protocol(rule_.protocol->value));
    if (module.empty()) return false;
    Match m{module, true, {}};
    if (!typed_option(module, name, m.options)) return false;
    rule_.matches.push_back(std::move(m));
    return true;
  }

  bool typed_option(std::string_view module, std::string_view name, std::vector<Option>& options) {
    std::size_t next = at_ + 1;
    bool negate = negate_;
    const std::optional<std::size_t> takes = arguments_of(module, name);
    // A '!' behind an option that takes nothing belongs to the next one.
    if (takes.value_or(0) == 0 && add_option(module, name, negate, {}, family_, options)) {
      at_ = next;
      return true;
    }
    if (next < words_.size() && is_negation(words_[next])) negate = true, ++next;  // old style: "--dport ! 80"
    for (const std::size_t count : {std::size_t{1}, std::size_t{2}}) {
      if (takes && *takes != count) continue;
      if (next + count > words_.size()) return false;
      if (add_option(module, name, negate, std::span(words_).subspan(next, count), family_, options)) {
        at_ = next + count;
        return true;
      }
    }
    return false;
  }

  // Of an option that is printed by its own name; empty: by another one, or by none.
  static std::optional<std::size_t> arguments_of(std::string_view module, std::string_view name) {
    const OptionSpec* spec = find_option(module, name);
    return spec ? std::optional(argument_count(spec->shape)) : std::nullopt;
  }

  bool top_level_option(std::string_view name) {
    const char letter = top_level(name);
    switch (letter) {
      case '\0': return false;
      case 'f':
        rule_.fragment = !negate_;
        ++at_;
        return true;
      case '4':
      case '6':
      case 'w': ++at_; return true;
      case 'c': return inside_counters();
      default: break;
    }
    // "-s ! 10.0.0.0/8" is how old versions wrote a negation.
    if (at_ + 1 < words_.size() && is_negation(words_[at_ + 1])) negate_ = true, ++at_;
    const std::size_t from = at_;
    const auto text = argument();
    if (!text) return false;
    if (selector(letter, *text)) return true;
    at_ = from;
    return false;
  }

  bool inside_counters() {
    if (at_ + 2 >= words_.size()) return false;
    const auto packets = parse_decimal(words_[at_ + 1].text), bytes = parse_decimal(words_[at_ + 2].text);
    if (!packets || !bytes) return false;
    rule_.counters = Counters{*packets, *bytes};
    rule_.counters_inside = true;
    at_ += 3;
    return true;
  }

  bool selector(char letter, const std::string& text) {
    switch (letter) {
      case 'A': rule_.chain = text; return true;
      case 't': rule_.table = text; return true;
      case 's': return address(text, rule_.source);
      case 'd': return address(text, rule_.destination);
      case 'i': device(text, rule_.in_device); return true;
      case 'o': device(text, rule_.out_device); return true;
      case 'p':
        if (protocol_number(text) != std::optional<std::uint8_t>(0) || negate_)
          rule_.protocol = {std::string(protocol_text(text)), negate_};
        return true;
      case 'm':
        rule_.matches.push_back({text, is_known_module(text), {}});
        last_ = LastExtension::match;
        return true;
      default:
        rule_.target = Target{text, letter == 'g', letter == 'j' && is_known_target(text), {}};
        last_ = LastExtension::target;
        return true;
    }
  }

  bool address(const std::string& text, std::optional<Selector<Network>>& out) {
    const auto network = parse_network(with_all_octets(text));
    if (!network) return false;
    if (network->mask != 0 || negate_) out = {*network, negate_};
    return true;
  }

  void device(const std::string& text, std::optional<Selector<std::string>>& out) {
    if (text != "+" || negate_) out = {text, negate_};  // "+" is any device
  }

  // An unknown option, with its arguments, goes to the match or target before it.
  void keep_unknown(bool option) {
    Option unknown{nullptr, words_[at_].text, negate_, Words{}};
    auto& arguments = std::get<Words>(unknown.value).words;
    const Word first = words_[at_++];
    while (at_ < words_.size() && !is_option_word(words_[at_]) && !is_negation(words_[at_])) arguments.push_back(words_[at_++]);
    note(is_known_option(first.text) ? fmt::format("'{}' does not fit here, or its value does not", first.text)
                                     : fmt::format("'{}' is not known here", first.text));
    if (option && last_ == LastExtension::target) {
      rule_.target->options.push_back(std::move(unknown));
    } else if (option && last_ == LastExtension::match) {
      rule_.matches.back().options.push_back(std::move(unknown));
    } else {
      if (negate_) rule_.not_understood.push_back({"!", false});
      rule_.not_understood.push_back(first);
      rule_.not_understood.insert(rule_.not_understood.end(), arguments.begin(), arguments.end());
    }
  }

  std::vector<Word> words_;
  Family family_;
  Rule& rule_;
  std::string& problem_;
  std::size_t at_ = 0;
  LastExtension last_ = LastExtension::none;
  bool negate_ = false;
};

Option make_option(std::string_view module, std::string_view name, Value value, bool negate = false) {
  return {find_option(module, name), std::string(name), negate, std::move(value)};
}

// The mark options that are printed as --set-xmark.
bool add_mark_option(std::string_view module, std::string_view name, std::span<const Word> arguments,
                     std::vector<Option>& options) {
  constexpr std::string_view kNames[] = {"--set-mark", "--and-mark", "--or-mark", "--xor-mark"};
  if ((module != "MARK" && module != "CONNMARK") || arguments.size() != 1) return false;
  const auto* which = std::find(std::begin(kNames), std::end(kNames), name);
  if (which == std::end(kNames)) return false;
  const std::string_view text = arguments[0].text;
  const auto slash = text.find('/');
  const auto value = parse_u64(text.substr(0, slash));
  const auto mask = slash == std::string_view::npos ? std::optional<std::uint64_t>(kAllBits) : parse_u64(text.substr(slash + 1));
  if (!value || !mask || *value > kAllBits || *mask > kAllBits) return false;
  MaskedNumber m;
  switch (which - std::begin(kNames)) {
    case 0: m = {*value, *mask | *value}; break;
    case 1: m = {0, ~*value & kAllBits}; break;
    case 2: m = {*value, *value}; break;
    default: m = {*value, 0}; break;
  }
  options.push_back(make_option(module, "--set-xmark", m));
  return true;
}

std::optional<std::uint64_t> dscp_class(std::string_view given) {
  std::string upper(given);
  for (char& c : upper)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  const std::string_view name = upper;
  if (name == "BE") return 0;
  if (name == "EF") return 0x2e;
  if (name.size() == 3 && name.starts_with("CS") && name[2] >= '0' && name[2] <= '7')
    return static_cast<std::uint64_t>(name[2] - '0') << 3;
  if (name.size() == 4 && name.starts_with("AF") && name[2] >= '1' && name[2] <= '4' && name[3] >= '1' && name[3] <= '3')
    return static_cast<std::uint64_t>(name[2] - '0') << 3 | static_cast<std::uint64_t>(name[3] - '0') << 1;
  return std::nullopt;
}

bool add_tos_option(std::string_view name, std::string_view text, std::vector<Option>& options) {
  const auto value = parse_u64(text);
  if (!value || *value > 0xff) return false;
  MaskedNumber m;
  if (name == "--or-tos")
    m = {*value, *value};
  else if (name == "--xor-tos")
    m = {*value, 0};
  else if (name == "--and-tos")
    m = {0, ~*value & 0xff};
  else
    return false;
  options.push_back(make_option("TOS", "--set-tos", m));
  return true;
}

// connbytes counts from the number on: "1000:" is "1000".
bool add_connbytes(std::string_view text, bool negate, std::vector<Option>& options) {
  if (!text.starts_with(":") && !text.ends_with(":")) return false;
  std::string value = text.starts_with(":") ? "0" + std::string(text) : std::string(text);
  if (value.ends_with(":")) value.pop_back();
  options.push_back(make_option("connbytes", "--connbytes", Word{value, false}, negate));
  return true;
}

bool add_log_level(std::string_view text, std::vector<Option>& options) {
  static constexpr std::string_view kLevels[] = {"emerg", "alert", "crit", "error", "warning", "notice", "info", "debug"};
  if (text == "panic") text = "emerg";
  const auto* found = std::find(std::begin(kLevels), std::end(kLevels), text);
  if (found == std::end(kLevels)) return false;
  options.push_back(make_option("LOG", "--log-level", Word{std::to_string(found - std::begin(kLevels)), false}));
  return true;
}

// Options that the tool prints under another name or with another value.
bool add_rewritten(std::string_view module, std::string_view name, bool negate, std::span<const Word> arguments,
                   std::vector<Option>& options) {
  if (module == "tcp" && name == "--syn" && arguments.empty()) {
    options.push_back(make_option(module, "--tcp-flags", TcpFlags{0x17, 0x02}, negate));
    return true;
  }
  if (arguments.size() != 1) return false;
  const std::string& text = arguments[0].text;
  if ((module == "dscp" && name == "--dscp-class") || (module == "DSCP" && name == "--set-dscp-class")) {
    const auto value = dscp_class(text);
    if (value) options.push_back(make_option(module, module == "dscp" ? "--dscp" : "--set-dscp", *value, negate));
    return value.has_value();
  }
  if (module == "TOS") return add_tos_option(name, text, options);
  if (module == "LOG" && name == "--log-level") return add_log_level(text, options);
  if (module == "connbytes" && name == "--connbytes") return add_connbytes(text, negate, options);
  if (module == "owner" && text == "root" && (name == "--uid-owner" || name == "--gid-owner")) {
    options.push_back(make_option(module, name, Range{0, 0}, negate));
    return true;
  }
  return add_mark_option(module, name, arguments, options);
}

bool is_full(const OptionSpec& spec, const Value& value) {
  const auto* r = std::get_if<Range>(&value);
  return r && r->first == 0 && r->last == spec.limit;
}

}  // namespace

bool add_option(std::string_view module, std::string_view name, bool negate, std::span<const Word> arguments, Family family,
                std::vector<Option>& options) {
  if (add_rewritten(module, name, negate, arguments, options)) return true;
  const OptionSpec* spec = find_option(module, name);
  if (!spec) return false;
  auto value = parse_value(*spec, arguments, family);
  if (!value) return false;
  if (!(spec->drop_full && !negate && is_full(*spec, *value)))
    options.push_back({spec, std::string(spec->name), negate, std::move(*value)});
  return true;
}

bool parse_counters(std::string_view text, Counters& out) {
  if (!consume(text, "[") || !text.ends_with("]")) return false;
  text.remove_suffix(1);
  const std::string_view packets = take_until(text, ':');
  const auto p = parse_decimal(packets), b = parse_decimal(text);
  if (!p || !b) return false;
  out = {*p, *b};
  return true;
}

bool parse_rule(std::string_view line, Family family, ParsedRule& out) {
  std::vector<Word> words;
  const bool closed = split_words(line, words);
  Counters counters;
  if (!words.empty() && parse_counters(words[0].text, counters)) {
    out.rule.counters = counters;
    words.erase(words.begin());
  }
  // "iptables -t nat -A …" of a runbook
  if (!words.empty() && (words[0].text == "iptables" || words[0].text == "ip6tables")) words.erase(words.begin());
  words = normalised(std::move(words));
  const bool append =
      std::any_of(words.begin(), words.end(), [](const Word& w) { return top_level(w.text) == 'A' && !w.quoted; });
  if (words.empty() || !is_option_word(words[0]) || !append) return false;
  RuleParser(std::move(words), family, out).run();
  if (out.problem.empty()) out.problem = why_refused(out.rule);
  if (out.problem.empty()) make_as_saved(out.rule, family);
  if (!closed && out.problem.empty()) out.problem = "a quote is not closed";
  return !out.rule.chain.empty();
}

std::string print_option(const Option& option) {
  std::string out = option.negate ? "! " + option.name : option.name;
  const std::string value =
      option.spec ? print_value(*option.spec, option.value) : print_value(OptionSpec{"", "", Shape::text}, option.value);
  if (!value.empty()) out += " " + value;
  return out;
}

std::string print_match(const Match& match) {
  std::string out = "-m " + match.module;
  for (const Option& o : match.options) out += " " + print_option(o);
  return out;
}

std::string print_target(const Target& target) {
  std::string out = (target.go_to ? "-g " : "-j ") + target.name;
  for (const Option& o : target.options) {
    out += " " + print_option(o);
    // The masks of a whole copy are always printed.
    const bool copies = o.name == "--save-mark" || o.name == "--restore-mark";
    if (target.name == "CONNMARK" && copies && target.options.size() == 1) out += " --nfmask 0xffffffff --ctmask 0xffffffff";
  }
  return out;
}

std::string print_rule(const Rule& rule) {
  std::string out = rule.table.empty() ? "" : "-t " + rule.table + " ";
  out += "-A " + rule.chain;
  const auto text = [&](const char* name, const auto& selector, const std::string& value) {
    if (selector) out += fmt::format(" {}{} {}", selector->negate ? "! " : "", name, value);
  };
  if (rule.source) text("-s", rule.source, print_network(rule.source->value, true));
  if (rule.destination) text("-d", rule.destination, print_network(rule.destination->value, true));
  if (rule.in_device) text("-i", rule.in_device, rule.in_device->value);
  if (rule.out_device) text("-o", rule.out_device, rule.out_device->value);
  if (rule.protocol) text("-p", rule.protocol, rule.protocol->value);
  if (rule.fragment) out += *rule.fragment ? " -f" : " ! -f";
  for (const Match& m : rule.matches) out += " " + print_match(m);
  for (const Word& w : rule.not_understood) out += " " + print_word(w);
  if (rule.counters && rule.counters_inside) out += fmt::format(" -c {} {}", rule.counters->packets, rule.counters->bytes);
  if (rule.target) out += " " + print_target(*rule.target);
  return out;
}

}  // namespace egt::parsers::iptables
