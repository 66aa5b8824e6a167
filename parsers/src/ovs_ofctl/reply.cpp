#include "ovs_ofctl/reply.h"

#include <fmt/format.h>

#include "egtrace/base/text.h"
#include "ovs_ofctl/values.h"

namespace egt::parsers::ofctl {
namespace {

constexpr int kLinesBeforeReply = 40;

}  // namespace

bool read_reply_header(std::string_view line, ReplyHeader& h) {
  h = {};
  std::string_view s = trim_right(line);
  if (!s.starts_with("OFP") && !s.starts_with("NX")) return false;
  const std::size_t end = s.find(' ');
  if (end == std::string_view::npos) return false;
  h.message = s.substr(0, end);
  s.remove_prefix(end);
  h.reply_word = consume(s, " reply");
  if (consume(s, " (OF1.")) {
    const auto minor = parse_decimal(take_until(s, ')'));
    if (!minor || *minor > 99) return false;
    h.minor = static_cast<unsigned>(*minor);
  }
  if (!consume(s, " (xid=")) return false;
  Number xid;
  if (!read_number(take_until(s, ')'), xid) || !consume(s, ":")) return false;
  h.xid = low64(xid.value);
  h.more = consume(s, " flags=[more]");
  h.rest = s;
  return true;
}

void write_reply_header(const ReplyHeader& h, std::string& out) {
  out += h.message;
  if (h.reply_word) out += " reply";
  if (h.minor > 0) {
    out += " (OF1.";
    write_decimal(h.minor, out);
    out += ')';
  }
  out += " (xid=";
  write_padded_hex(h.xid, 1, out);
  out += "):";
  if (h.more) out += " flags=[more]";
  out += h.rest;
}

bool is_filler(std::string_view line) {
  const std::string_view s = trim(line);
  return s.empty() || s.front() == '#' || s == "--";
}

std::string bridge_name(std::string_view argument) {
  if (const std::size_t slash = argument.rfind('/'); slash != std::string_view::npos) argument.remove_prefix(slash + 1);
  for (const std::string_view suffix : {".mgmt", ".snoop"})
    if (argument.ends_with(suffix)) argument.remove_suffix(suffix.size());
  return std::string(argument);
}

std::string bridge_of(const Dump& dump, std::string_view verb) {
  const std::vector<std::string_view> all = words(dump.command);
  if (all.size() < 2) return bridge_name(argument_after(dump, verb));
  std::size_t i = 0;
  while (i < all.size() && all[i] != verb) ++i;
  for (++i; i < all.size(); ++i) {
    if (all[i] == "|" || all[i] == ">" || all[i] == ";") break;
    if (!all[i].starts_with("-")) return bridge_name(all[i]);
  }
  return {};
}

std::string bridge_by_file_name(const Dump& dump, const cluster::Node& node) {
  std::string_view name = dump.path;
  if (const std::size_t slash = name.rfind('/'); slash != std::string_view::npos) name.remove_prefix(slash + 1);
  for (const std::string_view saved : {".flows.dump", ".groups.dump"})
    if (const std::size_t at = name.find(saved); at != std::string_view::npos) return std::string(name.substr(0, at));
  const auto in_word = [&](std::size_t i) {
    return i < name.size() && (is_digit(name[i]) || ((name[i] | 0x20) >= 'a' && (name[i] | 0x20) <= 'z'));
  };
  std::string best;
  for (const openflow::Bridge& bridge : node.bridges) {
    if (bridge.name.size() <= best.size()) continue;
    for (std::size_t at = name.find(bridge.name); at != std::string_view::npos; at = name.find(bridge.name, at + 1))
      if ((at == 0 || !in_word(at - 1)) && !in_word(at + bridge.name.size())) best = bridge.name;
  }
  return best;
}

std::string topic_of_bridge(const Dump& dump, std::string_view what, std::string_view bridge) {
  return bridge.empty() && !dump.partial ? fmt::format("{} of {}:{}", what, dump.path, dump.first_line)
                                         : fmt::format("{} {}", what, bridge);
}

openflow::Bridge& ensure_bridge(cluster::Node& node, const std::string& name, Provenance from) {
  if (openflow::Bridge* b = node.bridge(name)) return *b;
  openflow::Bridge b;
  b.name = name;
  b.from = from;
  node.bridges.push_back(std::move(b));
  return node.bridges.back();
}

int confidence_by_header(const Dump& dump, std::string_view message) {
  LineReader lines(dump);
  Line line;
  std::string buffer;
  for (int i = 0; i < kLinesBeforeReply && lines.next(line); ++i) {
    ReplyHeader h;
    if (!read_reply_header(without_colour(line.text, buffer), h)) continue;
    const std::size_t underscore = h.message.find('_');
    if (underscore != std::string_view::npos && h.message.substr(underscore + 1) == message) return i == 0 ? 100 : 95;
  }
  return 0;
}

std::string only_bridge(const cluster::Node& node) {
  return node.bridges.size() == 1 ? node.bridges.front().name : std::string();
}

}  // namespace egt::parsers::ofctl
