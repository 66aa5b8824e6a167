#include "shape.h"

#include <algorithm>
#include <type_traits>
#include <vector>

namespace egt::explain::capture_study {
namespace {

class Writer {
 public:
  explicit Writer(const AddressClasses* classes) : classes_(classes) {}

  std::string write(const Flow& flow) {
    add(flow.proto);
    add(flow.has_opening);
    add(flow.parts.size());
    const FlowPart* before = nullptr;
    for (const FlowPart& part : flow.parts) {
      write(part, flow);
      add(before != nullptr && before->track->all.time == part.track->all.time);
      before = &part;
    }
    return std::move(out_);
  }

 private:
  template <class T>
  void add(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    out_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }

  void write(const FlowPart& part, const Flow& flow) {
    const TrackKey& k = part.track->key;
    add(part.place.at);
    add(part.place.direction);
    add(part.reply);
    write_ends({k.src, k.dst, k.sport, k.dport}, part.reply, flow);
    if (part.track->is_error()) write_ends(part.ends, part.reply, flow);
    add(k.smac);
    add(k.dmac);
    add(k.file);
    add(k.ttl);
    add(k.icmp_type);
    add(k.icmp_code);
    add(k.tunnel);
    if (k.tunnel != 0) {
      add_address(k.tunnel_src);
      add_address(k.tunnel_dst);
      add(k.vni);
    }
    write_kinds(*part.track);
  }

  // The port of the side that opened it is its number among such ports, the other one is itself. An echo has one.
  void write_ends(const Ends& ends, bool reply, const Flow& flow) {
    write_address(ends.src);
    write_address(ends.dst);
    const bool echo = !carries_ports(flow.proto);
    add(reply && !echo ? ends.sport : number_of(ends.sport, ports_));
    add(!reply && !echo ? ends.dport : number_of(ends.dport, ports_));
  }

  void write_address(const IpAddr& a) {
    const bool as_class = classes_ != nullptr && !classes_->is_alone(a);
    add(as_class);
    add_address(as_class ? classes_->first_of(a) : a);
    if (as_class) add(number_of(a, addresses_));
  }

  void add_address(const IpAddr& a) {
    add(a.family);
    add(a.value);
  }

  // Which kinds of packets there were, and how often those were sent that are counted as sent again.
  void write_kinds(const Track& t) {
    std::uint8_t kinds = 0;
    for (const Mark* mark : {&t.syn_ack, &t.acked, &t.data, &t.fin, &t.reset})
      kinds = static_cast<std::uint8_t>(kinds << 1 | (mark->packets > 0 ? 1 : 0));
    kinds = static_cast<std::uint8_t>(kinds << 1 | (t.acked.packets > t.fin.packets ? 1 : 0));
    add(kinds);
    add(t.is_error());
    add(t.syn.packets);
  }

  template <class T>
  static std::uint16_t number_of(const T& value, std::vector<T>& known) {
    const auto number = std::find(known.begin(), known.end(), value) - known.begin();
    if (number == static_cast<std::ptrdiff_t>(known.size())) known.push_back(value);
    return static_cast<std::uint16_t>(number);
  }

  const AddressClasses* classes_;
  std::vector<std::uint16_t> ports_;
  std::vector<IpAddr> addresses_;
  std::string out_;
};

}  // namespace

std::string shape_of(const Flow& flow, const AddressClasses* classes) { return Writer(classes).write(flow); }

}  // namespace egt::explain::capture_study
