// ovs-appctl tnl/neigh/show, tnl/arp/show: the switch's own neighbours (tnl_neigh_cache_show() of lib/tnl-neigh-cache.c).
#include <fmt/format.h>

#include "egtrace/base/text.h"
#include "ovs_appctl/formats.h"
#include "ovs_appctl/line_dump.h"

namespace egt::parsers::appctl {
namespace {

// "192.168.99.23                                 00:50:56:8e:2a:31   br-ex", with " STALE" where it has expired; without a MAC
// and with " INCOMPLETE" where no reply has come yet.
struct NeighbourLine {
  std::string_view address, mac, bridge;
  bool stale = false;
};

constexpr std::string_view kStale = " STALE", kIncomplete = " INCOMPLETE";

bool take_end(std::string_view& s, std::string_view word) {
  if (!s.ends_with(word)) return false;
  s.remove_suffix(word.size());
  return true;
}

constexpr std::size_t kAddressWidth = 46, kMacWidth = 17;  // INET6_ADDRSTRLEN; of a MAC

bool read_neighbour(std::string_view s, NeighbourLine& l) {
  l.stale = take_end(s, kStale);
  const bool incomplete = take_end(s, kIncomplete);
  const std::size_t end = s.find(' ');
  if (end == std::string_view::npos) return false;
  l.address = s.substr(0, end);
  s = trim(s.substr(end));
  const std::size_t gap = incomplete ? 0 : s.find(' ');
  if (gap == std::string_view::npos) return false;
  l.mac = s.substr(0, gap);
  l.bridge = trim(s.substr(gap));
  return IpAddr::parse(l.address) && (incomplete || MacAddr::parse(l.mac)) && !l.bridge.empty() &&
         l.bridge.find(' ') == std::string_view::npos;
}

struct NeighbourLines {
  using Entry = NeighbourLine;
  static constexpr const char* kTopic = "tunnel neighbours";
  static constexpr std::string_view kCommands[] = {"tnl/neigh/show", "tnl/arp/show", "tnl.neigh.show", "tnl.arp.show"};
  static constexpr bool kTitled = true;
  static int quality(std::string_view) { return 0; }
  static bool is_title(std::string_view text) {
    if (!text.empty() && text.find_first_not_of('=') == std::string_view::npos) return true;
    return text.starts_with("IP ") && text.ends_with(" Bridge") && text.find(" MAC ") != std::string_view::npos;
  }
  static bool read(std::string_view text, Entry& l) { return read_neighbour(text, l); }
  static void print(const Entry& l, std::string& out) {
    out += l.address;
    if (l.address.size() < kAddressWidth) out.append(kAddressWidth - l.address.size(), ' ');
    if (l.mac.empty()) out.append(kMacWidth, ' ');
    ((out += l.mac) += "   ") += l.bridge;
    if (l.mac.empty()) out += kIncomplete;
    if (l.stale) out += kStale;
  }
  static Json json(const Entry& l) { return {{"address", l.address}, {"mac", l.mac}, {"bridge", l.bridge}, {"stale", l.stale}}; }
  static void put(const Entry& l, Provenance from, openflow::Datapath& d) {
    const auto address = IpAddr::parse(l.address);
    const auto mac = MacAddr::parse(l.mac);
    if (address && mac) d.neighbours.push_back({*address, *mac, std::string(l.bridge), from});
  }
  static void looked_at(openflow::Datapath& d) { d.has_neighbours = true; }
};

}  // namespace

const Format& tunnel_neighbours_format() {
  static const Format format = line_format<NeighbourLines>("ovs-appctl tnl/neigh/show", "ovs-appctl tnl/neigh/show");
  return format;
}

}  // namespace egt::parsers::appctl
