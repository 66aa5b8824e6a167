// retis events: one JSON object a line, in sections. Since 1.6 the bytes of the packet, its device and its network
// namespace have sections of their own; in 1.5 these are parts of the section skb, and before that skb was flat.
#include <string>

#include "egtrace/base/text.h"
#include "kernel_events/base64.h"
#include "kernel_events/interfaces.h"
#include "kernel_events/json_line.h"
#include "kernel_events/lines.h"
#include "kernel_events/parsed_packet.h"
#include "kernel_events/problems.h"
#include "kernel_events/readers.h"
#include "kernel_events/retis_facts.h"
#include "pcap/packet_bytes.h"

namespace egt::parsers::kernel_events {
namespace {

using capture::KernelEvent;

constexpr int kEthernet = 1;

// The device that an event shows, in its network namespace.
struct EventDevice {
  std::string name;
  std::uint32_t ifindex = 0, netns = 0;
};

// An event whose line is being read.
struct OpenEvent {
  KernelEvent e;
  ParsedPacket parsed;
  EventDevice device;
  bool is_startup = false, is_event = false, bad_data = false;
};

void read_device(JsonLine& json, EventDevice& device) {
  json.object([&](std::string_view k) {
    if (k == "name")
      device.name = json.string();
    else if (k == "ifindex")
      device.ifindex = static_cast<std::uint32_t>(json.number());
    else
      json.skip();
  });
}

void read_network_namespace(JsonLine& json, EventDevice& device) {
  json.object([&](std::string_view k) {
    if (k == "inum" || k == "netns")
      device.netns = static_cast<std::uint32_t>(json.number());
    else
      json.skip();
  });
}

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
    if (json.next() == '[')
      json.array([&] { event(json, line); });
    else
      event(json, line);
    if (!json.failed()) json.end();
    if (json.failed()) note_problem(capture_, line, json.column(), json.what(), text);
  }

  void event(JsonLine& json, std::uint64_t line) {
    OpenEvent open;
    open.e.line = line;
    json.object([&](std::string_view key) { section(json, key, open); });
    if (json.failed()) return;
    if (open.bad_data) return json.fail("the packet's data is no base64");
    if (open.is_startup) return;
    if (!open.is_event) return json.fail("no event of retis: it has no section kernel, userspace, skb-drop or ovs-detrace");
    hand_on(open);
  }

  void section(JsonLine& json, std::string_view key, OpenEvent& open) {
    KernelEvent& e = open.e;
    open.is_event |= key == "kernel" || key == "userspace" || key == "ovs-detrace" || key == "skb-drop";
    if (key == "common") return common(json, e);
    if (key == "kernel" || key == "userspace") return read_probe(json, key == "userspace", e.facts);
    if (key == "skb-tracking") return tracking(json, e);
    if (key == "tracking") return json.object([&](std::string_view k) { k == "skb" ? tracking(json, e) : json.skip(); });
    if (key == "packet") return packet(json, open);
    if (key == "skb") return skb(json, open);
    if (key == "dev") return read_device(json, open.device);
    if (key == "netns") return read_network_namespace(json, open.device);
    if (key == "ovs" || key == "ovs-detrace") return read_ovs(json, e);
    if (key == "ct") return read_conntrack(json, e.facts);
    if (key == "nft") return read_nft(json, e.facts);
    if (key == "skb-drop") return read_drop(json, e.facts);
    if (key == "startup") return startup(json, open);
    json.skip();
  }

  static void tracking(JsonLine& json, KernelEvent& e) {
    if (const std::uint64_t packet = read_tracking(json)) e.packet = packet;
  }

  static void common(JsonLine& json, KernelEvent& e) {
    json.object(
        [&](std::string_view k) { k == "timestamp" ? void(e.time = static_cast<std::int64_t>(json.number())) : json.skip(); });
  }

  void startup(JsonLine& json, OpenEvent& open) {
    open.is_startup = true;
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

  void packet(JsonLine& json, OpenEvent& open) {
    json.object([&](std::string_view k) {
      if (k == "data" || k == "packet" || k == "raw")
        raw(json.string(), open);
      else
        json.skip();
    });
  }

  void raw(std::string_view text, OpenEvent& open) {
    open.bad_data |= !decode_base64(text, bytes_);
    capture::Frame frame;
    switch (pcap::decode_frame(bytes_, kEthernet, frame)) {
      case pcap::Decoded::ip:
        open.e.frame = frame;
        open.e.has_packet = true;
        break;
      case pcap::Decoded::not_ip: ++capture_.not_ip; break;
      case pcap::Decoded::not_understood: break;  // too short for its headers: the event is none the less one
    }
  }

  void skb(JsonLine& json, OpenEvent& open) {
    EventDevice& device = open.device;
    json.object([&](std::string_view k) {
      if (k == "dev")
        read_device(json, device);
      else if (k == "ns")
        read_network_namespace(json, device);
      else if (k == "packet")
        packet(json, open);
      else if (k == "dev_name")
        device.name = json.string();
      else if (k == "ifindex")
        device.ifindex = static_cast<std::uint32_t>(json.number());
      else if (k == "netns")
        device.netns = static_cast<std::uint32_t>(json.number());
      else
        open.parsed.section(json, k);
    });
  }

  void hand_on(OpenEvent& open) {
    KernelEvent& e = open.e;
    if (!e.has_packet && open.parsed.finish()) {
      e.frame = open.parsed.frame();
      e.has_packet = true;
    }
    const EventDevice& device = open.device;
    e.time += offset_;
    e.facts.netns = device.netns;
    e.facts.interface = device.name.empty() ? 0 : interfaces_.index_of(device.name, device.ifindex, device.netns);
    e.frame.number = e.line;
    e.frame.time = e.time;
    e.frame.interface = e.facts.interface;
    ++capture_.events;
    capture_.events_without_packet += e.has_packet ? 0 : 1;
    take_(e);
  }

  const TakeEvent& take_;
  capture::Capture capture_;
  Interfaces interfaces_;
  std::string bytes_;        // of the packet that is decoded
  std::int64_t offset_ = 0;  // of the monotonic clock, to 1970
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
