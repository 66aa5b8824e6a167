// ovs-appctl dpctl/ct-get-limits, dpctl/ct-get-maxconns, dpctl/ct-get-nconns: how many connections the datapath holds, and at most.
#include <fmt/format.h>

#include "egtrace/base/text.h"
#include "ovs_appctl/formats.h"
#include "ovs_appctl/line_dump.h"

namespace egt::parsers::appctl {
namespace {

// Digits up to the end or the next comma.
bool consume_number(std::string_view& s, std::uint64_t most, std::uint64_t& value) {
  const std::string_view digits = s.substr(0, s.find(','));
  const auto number = parse_decimal(digits);
  if (!number || *number > most || fmt::format("{}", *number) != digits) return false;
  value = *number;
  s.remove_prefix(digits.size());
  return true;
}

// "default limit=0", or "zone=3,limit=2,count=1" (ct_dpif_format_zone_limits() of lib/ct-dpif.c).
struct LimitLine {
  bool of_zone = false;
  std::uint64_t zone = 0, limit = 0, count = 0;
};

struct LimitLines {
  using Entry = LimitLine;
  static constexpr const char* kTopic = "limits of conntrack zones";
  static constexpr std::string_view kCommands[] = {"dpctl/ct-get-limits", "dpctl.ct-get-limits", "ovs-dpctl ct-get-limits"};
  static constexpr bool kTitled = false;
  static int quality(std::string_view) { return 0; }
  static bool is_title(std::string_view) { return false; }
  static bool read(std::string_view s, Entry& l) {
    if (consume(s, "default limit=")) return consume_number(s, UINT32_MAX, l.limit) && s.empty();
    l.of_zone = true;
    return consume(s, "zone=") && consume_number(s, UINT16_MAX, l.zone) && consume(s, ",limit=") &&
           consume_number(s, UINT32_MAX, l.limit) && consume(s, ",count=") && consume_number(s, UINT32_MAX, l.count) && s.empty();
  }
  static void print(const Entry& l, std::string& out) {
    out +=
        l.of_zone ? fmt::format("zone={},limit={},count={}", l.zone, l.limit, l.count) : fmt::format("default limit={}", l.limit);
  }
  static Json json(const Entry& l) {
    if (!l.of_zone) return {{"default", true}, {"limit", l.limit}};
    return {{"zone", l.zone}, {"limit", l.limit}, {"count", l.count}};
  }
  static void put(const Entry& l, Provenance from, openflow::Datapath& d) {
    if (l.of_zone)
      d.conntrack.zones.push_back({static_cast<std::uint16_t>(l.zone), l.limit, l.count, from});
    else
      d.conntrack.of_others = openflow::ConnectionNumber{l.limit, from};
  }
  static void looked_at(openflow::Datapath&) {}
};

// A number alone: what it counts, the command shows.
struct NumberLines {
  using Entry = std::uint64_t;
  static constexpr bool kTitled = true;  // the command is, so to speak
  static int quality(std::string_view) { return 0; }
  static bool is_title(std::string_view) { return false; }
  static bool read(std::string_view s, Entry& number) { return consume_number(s, UINT32_MAX, number) && s.empty(); }
  static void print(const Entry& number, std::string& out) { out += fmt::format("{}", number); }
  static Json json(const Entry& number) { return {{"connections", number}}; }
  static void looked_at(openflow::Datapath&) {}
};

struct MostLines : NumberLines {
  static constexpr const char* kTopic = "most connections of the datapath";
  static constexpr std::string_view kCommands[] = {"dpctl/ct-get-maxconns", "dpctl.ct-get-maxconns", "ovs-dpctl ct-get-maxconns"};
  static void put(const Entry& number, Provenance from, openflow::Datapath& d) {
    d.conntrack.of_all = openflow::ConnectionNumber{number, from};
  }
};

struct CountLines : NumberLines {
  static constexpr const char* kTopic = "connections of the datapath";
  static constexpr std::string_view kCommands[] = {"dpctl/ct-get-nconns", "dpctl.ct-get-nconns", "ovs-dpctl ct-get-nconns"};
  static void put(const Entry& number, Provenance from, openflow::Datapath& d) {
    d.conntrack.connections = openflow::ConnectionNumber{number, from};
  }
};

}  // namespace

const Format& zone_limits_format() {
  static const Format format = line_format<LimitLines>("ovs-appctl dpctl/ct-get-limits", "ovs-appctl dpctl/ct-get-limits");
  return format;
}

const Format& most_connections_format() {
  static const Format format = line_format<MostLines>("ovs-appctl dpctl/ct-get-maxconns", "ovs-appctl dpctl/ct-get-maxconns");
  return format;
}

const Format& connection_count_format() {
  static const Format format = line_format<CountLines>("ovs-appctl dpctl/ct-get-nconns", "ovs-appctl dpctl/ct-get-nconns");
  return format;
}

}  // namespace egt::parsers::appctl
