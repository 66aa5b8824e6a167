#include "nft/chain_reader.h"

#include "egtrace/base/text.h"
#include "nft/grammar.h"

namespace egt::parsers::nft {
namespace {

constexpr unsigned kMaxBlocks = 16;  // of "jump {" inside each other

std::string_view unquote(std::string_view s) {
  if (s.size() >= 2 && s.front() == '"' && s.back() == '"') return s.substr(1, s.size() - 2);
  return s;
}

// The line without its indentation; blanks behind tabs belong to the rule.
std::string_view rule_text(const ListingLines::Line& line) {
  std::string_view s = line.raw;
  if (s.empty() || s.front() != '\t') return line.text;
  while (!s.empty() && s.front() == '\t') s.remove_prefix(1);
  return s;
}

bool has_rules(const Chain& c) { return !c.rules.empty() || !c.more_rules.empty(); }

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

std::optional<BaseHeader> read_base(std::string_view text) {
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

Chain ChainReader::read(const Opening& o, bool gap) {
  Chain c;
  c.name = std::string(o.words[1]);
  c.handle = o.handle;
  c.line = lines_.line().number;
  c.empty_line_before = gap;
  while (lines_.next_in_block(c.closed)) read_line(c);
  if (!c.closed) lines_.truncated("chain " + c.name, c.line);
  return c;
}

void ChainReader::read_line(Chain& c) {
  if (lines_.line().text.front() == '#') {
    lines_.ignore();
    c.rules.emplace_back(lines_.opaque());
    return;
  }
  if (!c.base && !c.comment && !has_rules(c) && lines_.begins_with("comment") && lines_.line().text.back() == '"') {
    c.comment = std::string(unquote(trim(lines_.line().text.substr(7))));
    return;
  }
  if (!c.base && !has_rules(c) && lines_.begins_with("type")) {
    c.base = read_base(lines_.line().text);
    if (c.base) {
      c.base->line = lines_.line().number;
      return;
    }
    lines_.misread(1, "expected \"type TYPE hook HOOK priority PRIORITY;\"");
    c.rules.emplace_back(lines_.opaque());
    return;
  }
  if (trees_++ < most_trees_)
    c.rules.emplace_back(read_rule(0));
  else
    keep_as_text(c, rule_text(lines_.line()));
}

// A rule with a block has more lines than this one.
void ChainReader::keep_as_text(Chain& c, std::string_view text) {
  Rule rule = read_rule(0);
  c.more_use_xt = c.more_use_xt || uses_xt(rule);
  if (!rule.statements.empty() && std::holds_alternative<BlockVerdict>(rule.statements.back().node)) {
    c.more_rules.emplace_back(Boxed<Rule>(std::move(rule)));
  } else {
    c.more_rules.emplace_back(RuleText{text, rule.line});
  }
}

Rule ChainReader::read_rule(unsigned depth) {
  const std::string_view text = rule_text(lines_.line());
  Rule r = parse_rule(text);
  r.line = lines_.line().number;
  if (r.opaque_column > 0) {
    const auto indent = static_cast<std::uint32_t>(text.data() - lines_.line().raw.data());
    lines_.misread({lines_.line().number, r.opaque_column + indent, "statement not understood"});
  }
  if (auto* block = r.statements.empty() ? nullptr : std::get_if<BlockVerdict>(&r.statements.back().node)) {
    read_block(*block, depth + 1);
  }
  return r;
}

void ChainReader::read_block(BlockVerdict& block, unsigned depth) {
  const std::uint32_t line = lines_.line().number;
  while (lines_.next()) {
    if (lines_.line().text == "}") return;
    if (lines_.line().text.empty() || depth > kMaxBlocks) {
      lines_.ignore();
      continue;
    }
    if (lines_.starts_block()) {
      lines_.back();
      break;
    }
    block.rules.push_back(read_rule(depth));
  }
  lines_.truncated("block", line);
}

}  // namespace egt::parsers::nft
