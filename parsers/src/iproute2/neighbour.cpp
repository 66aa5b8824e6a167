// ip neigh: "10.0.0.1 dev eth0 lladdr 00:11:22:33:44:55 REACHABLE" (ip-neighbour(8), iproute2's ip/ipneigh.c).
#include <algorithm>
#include <iterator>

#include "egtrace/base/text.h"
#include "iproute2/lower.h"

namespace egt::parsers::iproute2 {
namespace {

constexpr KeySpec kNeighbourWords[] = {
    {"dev", ValueKind::text},       {"lladdr", ValueKind::mac},        {"router", ValueKind::flag},
    {"proxy", ValueKind::flag},     {"extern_learn", ValueKind::flag}, {"offload", ValueKind::flag},
    {"managed", ValueKind::flag},   {"locked", ValueKind::flag},       {"ref", ValueKind::number},
    {"used", ValueKind::text},      {"probes", ValueKind::number},     {"proto", ValueKind::text},
    {"nomaster", ValueKind::flag},  {"vrf", ValueKind::text},          {"INCOMPLETE", ValueKind::flag},
    {"REACHABLE", ValueKind::flag}, {"STALE", ValueKind::flag},        {"DELAY", ValueKind::flag},
    {"PROBE", ValueKind::flag},     {"FAILED", ValueKind::flag},       {"NOARP", ValueKind::flag},
    {"PERMANENT", ValueKind::flag}, {"NONE", ValueKind::flag},
};

struct State {
  std::string_view name;
  host::NeighbourState state;
};
constexpr State kNeighbourStates[] = {
    {"NONE", host::NeighbourState::none},           {"INCOMPLETE", host::NeighbourState::incomplete},
    {"REACHABLE", host::NeighbourState::reachable}, {"STALE", host::NeighbourState::stale},
    {"DELAY", host::NeighbourState::delay},         {"PROBE", host::NeighbourState::probe},
    {"FAILED", host::NeighbourState::failed},       {"NOARP", host::NeighbourState::noarp},
    {"PERMANENT", host::NeighbourState::permanent},
};

// "used 25/23/25probes 4": older tools forgot the blank between two fields.
void unglue_probes(Attributes& words) {
  for (std::size_t i = 0; i + 1 < words.list.size(); ++i) {
    auto* used = std::get_if<std::string>(&words.list[i].value);
    if (words.list[i].key != "used" || !used || !used->ends_with("probes") || words.list[i + 1].known) continue;
    used->resize(used->size() - 6);
    Attribute& count = words.list[i + 1];
    count.value = words_of::typed_value(count.key, ValueKind::number);
    count.value_gap = count.gap;
    count.gap.clear();
    count.key = "probes";
    count.known = true;
  }
}

}  // namespace

bool is_neighbour_line(std::string_view text) {
  words_of::WordReader reader(text);
  std::string gap;
  if (!IpAddr::parse(reader.next(gap))) return false;
  if (reader.peek() == "dev") {
    reader.next(gap);
    reader.next(gap);
  }
  bool shown = false;
  while (!reader.done()) {
    const std::string_view word = reader.next(gap);
    if (word == "scope" || word == "via" || word == "metric") return false;  // a route to one host
    shown = shown || word == "lladdr" || word == "proxy" ||
            std::any_of(std::begin(kNeighbourStates), std::end(kNeighbourStates), [&](const State& s) { return s.name == word; });
  }
  return shown;
}

void parse_neighbour_line(std::string_view text, TextLine& out) {
  words_of::WordReader reader(text);
  if (!IpAddr::parse(reader.peek())) return;
  out.kind = LineKind::entry;
  words_of::take_positional(reader, ValueKind::address, out.words);
  words_of::parse_attributes(reader, kNeighbourWords, out.words);
  unglue_probes(out.words);
}

std::optional<host::Neighbour> lower_neighbour(const Entry& e, SourceId source) {
  if (e.words.list.empty()) return std::nullopt;
  const auto address = IpAddr::parse(words_of::print_value(e.words.list.front().value));
  if (!address) return std::nullopt;
  host::Neighbour n;
  n.address = *address;
  n.device = e.words.text("dev");
  n.mac = MacAddr::parse(e.words.text("lladdr"));
  n.proxy = e.words.has("proxy");
  n.router = e.words.has("router");
  for (const State& s : kNeighbourStates)
    if (e.words.has(s.name)) n.state = s.state;
  n.from = {source, e.line};
  return n;
}

}  // namespace egt::parsers::iproute2
