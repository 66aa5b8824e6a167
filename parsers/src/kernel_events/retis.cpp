// retis events: one JSON object a line, in sections. Since 1.6 the bytes of the packet, its device and its network
// namespace have sections of their own; in 1.5 these are parts of the section skb, and before that skb was flat.
#include <fmt/format.h>

#include <string>

#include "egtrace/base/text.h"
#include "egtrace/packet/flow_key.h"
#include "kernel_events/base64.h"
#include "kernel_events/interfaces.h"
#include "kernel_events/json_line.h"
#include "kernel_events/lines.h"
#include "kernel_events/problems.h"
#include "kernel_events/readers.h"
#include "pcap/packet_bytes.h"

namespace egt::parsers::kernel_events {
namespace {

using capture::EventFacts;
using capture::KernelEvent;
using capture::OvsEvent;

constexpr int kEthernet = 1;

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t h = (a ^ b * 0x9e3779b97f4a7c15ULL) * 0xbf58476d1ce4e5b9ULL;
  return (h ^ h >> 29) | 1;
}

OvsEvent ovs_event(std::string_view type) {
  struct Name {
    std::string_view name;
    OvsEvent kind;
  };
  static constexpr Name kNames[] = {{"action_execute", OvsEvent::execute_action},
                                    {"upcall", OvsEvent::upcall},
                                    {"upcall_enqueue", OvsEvent::upcall_enqueue},
                                    {"upcall_return", OvsEvent::upcall_return},
                                    {"recv_upcall", OvsEvent::receive_upcall},
                                    {"flow_operation", OvsEvent::flow_operation},
                                    {"flow_lookup", OvsEvent::look_up}};
  for (const Name& n : kNames)
    if (n.name == type) return n.kind;
  return OvsEvent::other;
}

// Header fields of a parsed packet (1.5 and before), before they are put together.
struct ParsedPacket {
  bool present = false;
  std::uint32_t ip_length = 0, tcp_words = 0;
  bool is_v6 = false;
};

class EventReader {
 public:
  explicit EventReader(const TakeEvent& take) : take_(take) {
    capture_.format = "retis events";
    capture_.of_events = true;
  }

  capture::Capture read(std::string_view bytes) {
    for_each_line(bytes, [this](std::string_view text, std::uint64_t line) {
      if (trim(text).empty()) return;
      ++capture_.frames;
      read_line(text, line);
    });
    capture_.interfaces = std::move(interfaces_.list());
    return std::move(capture_);
  }

 private:
  void read_line(std::string_view text, std::uint64_t line) {
    JsonLine json(text);
    line_ = line;
    if (json.next() == '[')
      json.array([&] { event(json); });
    else
      event(json);
    if (!json.failed()) json.end();
    if (json.failed()) note_problem(capture_, line, json.column(), json.what(), text);
  }

  void event(JsonLine& json) {
    e_ = KernelEvent{};
    e_.line = line_;
    parsed_ = {};
    device_.clear();
    ifindex_ = netns_ = 0;
    is_startup_ = is_event_ = false;
    bad_data_ = false;
    json.object([&](std::string_view key) { section(json, key); });
    if (json.failed()) return;
    if (bad_data_) return json.fail("the packet's data is no base64");
    if (is_startup_) return;
    if (!is_event_) return json.fail("no event of retis: it has no section kernel, userspace, skb-drop or ovs-detrace");
    hand_on();
  }

  void section(JsonLine& json, std::string_view key) {
    if (key == "common") return common(json);
    if (key == "kernel" || key == "userspace") return probe(json, key == "userspace");
    if (key == "skb-tracking") return tracking(json);
    if (key == "tracking") return json.object([&](std::string_view k) { k == "skb" ? tracking(json) : json.skip(); });
    if (key == "packet") return packet(json);
    if (key == "skb") return skb(json);
    if (key == "dev") return device(json);
    if (key == "netns") return network_namespace(json);
    if (key == "ovs") return ovs(json);
    if (key == "ovs-detrace") {
      is_event_ = true;
      return ovs(json);
    }
    if (key == "ct") return conntrack(json);
    if (key == "nft") return nft(json);
    if (key == "skb-drop") return drop(json);
    if (key == "startup") return startup(json);
    json.skip();
  }

  void common(JsonLine& json) {
    json.object(
        [&](std::string_view k) { k == "timestamp" ? void(e_.time = static_cast<std::int64_t>(json.number())) : json.skip(); });
  }

  void startup(JsonLine& json) {
    is_startup_ = true;
    json.object([&](std::string_view k) {
      if (k != "clock_monotonic_offset") return json.skip();
      std::int64_t sec = 0, nsec = 0;
      json.object([&](std::string_view part) {
        std::int64_t& to = part == "sec" ? sec : nsec;
        if (part == "sec" || part == "nsec")
          to = static_cast<std::int64_t>(json.number());
        else
          json.skip();
      });
      constexpr std::int64_t kMost = std::int64_t{1} << 33;  // seconds; beyond that nanoseconds have no room
      if (sec <= -kMost || sec >= kMost || nsec <= -kMost || nsec >= kMost) return;
      offset_ = sec * 1'000'000'000 + nsec;
    });
  }

  void probe(JsonLine& json, bool user) {
    is_event_ = true;
    json.object([&](std::string_view k) {
      if (k == "symbol")
        e_.facts.symbol = json.string();
      else if (k == "probe_type")
        set_probe(json.string());
      else
        json.skip();
    });
    if (user) e_.facts.probe = capture::Probe::user;
  }

  void set_probe(std::string_view type) {
    if (type == "raw_tracepoint") e_.facts.probe = capture::Probe::tracepoint;
    if (type == "kretprobe") e_.facts.probe = capture::Probe::function_return;
  }

  void tracking(JsonLine& json) {
    std::uint64_t head = 0, time = 0;
    json.object([&](std::string_view k) {
      if (k == "orig_head")
        head = json.number();
      else if (k == "timestamp")
        time = json.number();
      else
        json.skip();
    });
    if (head != 0) e_.packet = mix(head, time);
  }

  void packet(JsonLine& json) {
    json.object([&](std::string_view k) {
      if (k == "data" || k == "packet" || k == "raw")
        raw(json.string());
      else
        json.skip();
    });
  }

  void raw(std::string_view text) {
    bad_data_ |= !decode_base64(text, bytes_);
    capture::Frame frame;
    switch (pcap::decode_frame(bytes_, kEthernet, frame)) {
      case pcap::Decoded::ip:
        e_.frame = frame;
        e_.has_packet = true;
        break;
      case pcap::Decoded::not_ip: ++capture_.not_ip; break;
      case pcap::Decoded::not_understood: break;  // too short for its headers: the event is none the less one
    }
  }

  void device(JsonLine& json) {
    json.object([&](std::string_view k) {
      if (k == "name")
        device_ = json.string();
      else if (k == "ifindex")
        ifindex_ = static_cast<std::uint32_t>(json.number());
      else
        json.skip();
    });
  }

  void network_namespace(JsonLine& json) {
    json.object([&](std::string_view k) {
      if (k == "inum" || k == "netns")
        netns_ = static_cast<std::uint32_t>(json.number());
      else
        json.skip();
    });
  }

  void skb(JsonLine& json) {
    json.object([&](std::string_view k) {
      if (k == "dev")
        device(json);
      else if (k == "ns")
        network_namespace(json);
      else if (k == "packet")
        packet(json);
      else if (k == "eth")
        json.object([&](std::string_view f) { ethernet(json, f); });
      else if (k == "ip")
        json.object([&](std::string_view f) { ip(json, f); });
      else if (k == "tcp" || k == "udp")
        ports(json);
      else if (k == "icmp" || k == "icmpv6")
        icmp(json);
      else
        flat(json, k);
    });
  }

  void ethernet(JsonLine& json, std::string_view k) {
    if (k == "src")
      header().smac = MacAddr::parse(json.string());
    else if (k == "dst")
      header().dmac = MacAddr::parse(json.string());
    else
      json.skip();
  }

  // Of 1.6 the bytes come first or last: what is parsed besides goes nowhere then.
  capture::Frame& header() {
    parsed_.present = true;
    return e_.has_packet ? unused_ : e_.frame;
  }
  capture::Headers& h() { return header().ip; }

  void ip(JsonLine& json, std::string_view k) {
    if (k == "saddr")
      h().src = IpAddr::parse(json.string()).value_or(IpAddr{});
    else if (k == "daddr")
      h().dst = IpAddr::parse(json.string()).value_or(IpAddr{});
    else if (k == "protocol")
      h().proto = static_cast<std::uint8_t>(json.number());
    else if (k == "ttl")
      h().ttl = static_cast<std::uint8_t>(json.number());
    else if (k == "len" || k == "l3_len")
      parsed_.ip_length = static_cast<std::uint32_t>(json.number());
    else if (k == "v4")
      json.object([&](std::string_view f) { f == "offset" ? void(h().later_fragment = json.number() != 0) : json.skip(); });
    else if (k == "v6") {
      parsed_.is_v6 = true;
      json.skip();
    } else
      json.skip();
  }

  void ports(JsonLine& json) {
    json.object([&](std::string_view k) {
      if (k == "sport")
        h().sport = static_cast<std::uint16_t>(json.number());
      else if (k == "dport")
        h().dport = static_cast<std::uint16_t>(json.number());
      else if (k == "seq") {
        h().seq = static_cast<std::uint32_t>(json.number());
        h().has_seq = true;
      } else if (k == "ack_seq")
        h().ack = static_cast<std::uint32_t>(json.number());
      else if (k == "flags")
        h().tcp_flags = static_cast<std::uint8_t>(json.number());
      else if (k == "doff")
        parsed_.tcp_words = static_cast<std::uint32_t>(json.number());
      else
        json.skip();
    });
  }

  void icmp(JsonLine& json) {
    json.object([&](std::string_view k) {
      if (k == "type")
        h().icmp_type = static_cast<std::uint8_t>(json.number());
      else if (k == "code")
        h().icmp_code = static_cast<std::uint8_t>(json.number());
      else
        json.skip();
    });
  }

  void flat(JsonLine& json, std::string_view k) {
    if (k == "dev_name")
      device_ = json.string();
    else if (k == "ifindex")
      ifindex_ = static_cast<std::uint32_t>(json.number());
    else if (k == "netns")
      netns_ = static_cast<std::uint32_t>(json.number());
    else if (k == "src" || k == "dst")
      ethernet(json, k);
    else if (k == "saddr" || k == "daddr" || k == "protocol" || k == "ttl" || k == "l3_len")
      ip(json, k);
    else if (k == "ip_version")
      parsed_.is_v6 = json.number() == 6;
    else if (k == "sport")
      h().sport = static_cast<std::uint16_t>(json.number());
    else if (k == "dport")
      h().dport = static_cast<std::uint16_t>(json.number());
    else if (k == "tcp_flags")
      h().tcp_flags = static_cast<std::uint8_t>(json.number());
    else if (k == "tcp_seq") {
      h().seq = static_cast<std::uint32_t>(json.number());
      h().has_seq = true;
    } else if (k == "tcp_ack_seq")
      h().ack = static_cast<std::uint32_t>(json.number());
    else if (k == "icmp_type")
      h().icmp_type = static_cast<std::uint8_t>(json.number());
    else if (k == "icmp_code")
      h().icmp_code = static_cast<std::uint8_t>(json.number());
    else
      json.skip();
  }

  void ovs(JsonLine& json) {
    EventFacts& f = e_.facts;
    json.object([&](std::string_view k) {
      if (k == "event_type")
        f.ovs = ovs_event(json.string());
      else if (k == "action" || k == "op_type")
        f.action = json.string();
      else if (k == "port")
        f.port = static_cast<std::uint32_t>(json.number());
      else if (k == "zone_id")
        f.zone = static_cast<std::uint16_t>(json.number());
      else if (k == "cmd" || k == "ret" || k == "reason")
        f.code = static_cast<std::int64_t>(json.number());
      else if (k == "queue_id")
        e_.queue = static_cast<std::uint32_t>(json.number());
      else if (k == "ufid")
        f.datapath_flow = ufid(json);
      else if (k == "ofpflows")
        json.array([&] { f.openflow_flows.emplace_back(json.string()); });
      else
        json.skip();
    });
    if (f.ovs == OvsEvent::none) f.ovs = OvsEvent::look_up;  // ovs-detrace: of the flow that was looked up
    if (f.ovs == OvsEvent::upcall || f.ovs == OvsEvent::upcall_enqueue) f.port = 0;  // of netlink, of no bridge
  }

  static std::string ufid(JsonLine& json) {
    if (json.next() == '"') return std::string(json.string());
    std::uint32_t part[4] = {};
    std::size_t i = 0;
    json.array([&] {
      const auto value = static_cast<std::uint32_t>(json.number());
      if (i < std::size(part)) part[i++] = value;
    });
    return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:04x}{:08x}", part[0], part[1] >> 16, part[1] & 0xffff, part[2] >> 16,
                       part[2] & 0xffff, part[3]);
  }

  void conntrack(JsonLine& json) {
    json.object([&](std::string_view k) {
      if (k == "state")
        e_.facts.ct_state = json.string();
      else if (k == "zone_id")
        e_.facts.ct_zone = static_cast<std::uint16_t>(json.number());
      else
        json.skip();
    });
  }

  void nft(JsonLine& json) {
    EventFacts& f = e_.facts;
    json.object([&](std::string_view k) {
      if (k == "table_name")
        f.nft_table = json.string();
      else if (k == "chain_name")
        f.nft_chain = json.string();
      else if (k == "verdict")
        f.nft_verdict = json.string();
      else if (k == "rule_handle")
        f.nft_rule = static_cast<std::int64_t>(json.number());
      else if (k == "policy")
        f.nft_policy = json.boolean();
      else
        json.skip();
    });
  }

  void drop(JsonLine& json) {
    is_event_ = true;
    e_.facts.drop = true;
    json.object([&](std::string_view k) {
      if (k == "drop_reason")
        e_.facts.drop_reason = json.string();
      else if (k == "subsys")
        json.next() == 'n' ? json.skip() : void(e_.facts.drop_subsystem = json.string());
      else
        json.skip();
    });
  }

  // What the kernel says in parsed form says no more than the bytes do.
  void finish_parsed() {
    capture::Headers& ip = e_.frame.ip;
    if (e_.has_packet || !parsed_.present || ip.src.is_unspecified() || ip.dst.is_unspecified()) return;
    e_.has_packet = true;
    const std::uint32_t before = (parsed_.is_v6 ? 0 : 20) + (ip.proto == ip_proto::tcp ? parsed_.tcp_words * 4 : 8);
    if (parsed_.ip_length > before && (ip.proto != ip_proto::tcp || parsed_.tcp_words >= 5))
      ip.payload_bytes = parsed_.ip_length - before;
    if (ip.proto != ip_proto::tcp && ip.proto != ip_proto::udp && ip.proto != ip_proto::icmp && ip.proto != ip_proto::icmp6)
      ip.sport = ip.dport = 0;
  }

  void hand_on() {
    if (!e_.has_packet) finish_parsed();
    e_.time += offset_;
    e_.facts.netns = netns_;
    e_.facts.interface = device_.empty() ? 0 : interfaces_.index_of(device_, ifindex_, netns_);
    e_.frame.number = line_;
    e_.frame.time = e_.time;
    e_.frame.interface = e_.facts.interface;
    ++capture_.events;
    capture_.events_without_packet += e_.has_packet ? 0 : 1;
    take_(e_);
  }

  const TakeEvent& take_;
  capture::Capture capture_;
  Interfaces interfaces_;
  std::int64_t offset_ = 0;  // of the monotonic clock, to 1970
  // Of the line that is read:
  std::uint64_t line_ = 0;
  KernelEvent e_;
  capture::Frame unused_;
  ParsedPacket parsed_;
  std::string device_, bytes_;
  std::uint32_t ifindex_ = 0, netns_ = 0;
  bool is_startup_ = false, is_event_ = false, bad_data_ = false;
};

}  // namespace

bool is_retis(std::string_view bytes) {
  constexpr std::size_t kLook = 65536;
  std::string_view head = bytes.substr(0, kLook);
  std::string_view first;
  while (!head.empty() && first.empty()) first = trim(next_line(head));
  if (!first.starts_with("{\"") && !first.starts_with("[{\"")) return false;
  const auto has = [&](std::string_view key) { return first.find(key) != std::string_view::npos; };
  return has("\"common\":") && has("\"timestamp\":") &&
         (has("\"startup\":") || has("\"kernel\":") || has("\"userspace\":") || has("\"skb-tracking\":"));
}

Result<capture::Capture> read_retis(std::string_view bytes, const TakeEvent& take) { return EventReader(take).read(bytes); }

}  // namespace egt::parsers::kernel_events
