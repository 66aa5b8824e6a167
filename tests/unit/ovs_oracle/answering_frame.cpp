#include "answering_frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "egtrace/packet/packet.h"
#include "frame_bytes.h"

namespace egt::testing {
namespace {

constexpr std::uint8_t kSyn = 0x02, kAck = 0x10;
constexpr std::size_t kQuoted = 128;  // bytes of a packet that an error has at most

// A frame of IP, taken apart.
class IpFrame {
 public:
  explicit IpFrame(const std::string& hex) : bytes_(bytes_of(hex)) {
    std::size_t at = 12;
    for (; at + 4 <= bytes_.size() && (u16(at) == 0x8100 || u16(at) == 0x88a8); at += 4) {
    }
    if (at + 2 > bytes_.size()) return;
    ip_ = at + 2;
    if (u16(at) == 0x0800) read_v4();
    if (u16(at) == 0x86dd) read_v6();
  }

  bool good() const { return transport_ != 0; }
  bool is_v4() const { return address_bytes_ == 4; }
  std::uint8_t proto() const { return bytes_[proto_]; }
  std::size_t length() const { return bytes_.size() - transport_; }
  std::uint8_t& at(std::size_t i) { return bytes_[transport_ + i]; }
  const Bytes& bytes() const { return bytes_; }
  Bytes packet() const { return {bytes_.begin() + static_cast<std::ptrdiff_t>(ip_), bytes_.end()}; }
  void swap(std::size_t a, std::size_t b, std::size_t count) {
    std::swap_ranges(bytes_.begin() + static_cast<std::ptrdiff_t>(a), bytes_.begin() + static_cast<std::ptrdiff_t>(a + count),
                     bytes_.begin() + static_cast<std::ptrdiff_t>(b));
  }
  void turn() {
    swap(0, 6, 6);
    swap(addresses_, addresses_ + address_bytes_, address_bytes_);
  }
  void swap_ports() { swap(transport_, transport_ + 2, 2); }
  void put_transport(std::uint8_t proto, Bytes body) {
    bytes_.resize(transport_);
    bytes_.insert(bytes_.end(), body.begin(), body.end());
    bytes_[proto_] = proto;
    set16(bytes_, ip_ + (is_v4() ? 2 : 4), static_cast<std::uint16_t>(bytes_.size() - (is_v4() ? ip_ : transport_)));
    if (!is_v4()) return;
    set16(bytes_, ip_ + 10, 0);
    set16(bytes_, ip_ + 10,
          checksum(sum_of(
              {bytes_.begin() + static_cast<std::ptrdiff_t>(ip_), bytes_.begin() + static_cast<std::ptrdiff_t>(transport_)})));
  }
  // At that place of the transport header.
  void set_checksum(std::size_t place, bool with_addresses) {
    set16(bytes_, transport_ + place, 0);
    const Bytes body(bytes_.begin() + static_cast<std::ptrdiff_t>(transport_), bytes_.end());
    std::uint32_t sum = sum_of(body);
    if (with_addresses) {
      const auto from = bytes_.begin() + static_cast<std::ptrdiff_t>(addresses_);
      Bytes imagined(from, from + static_cast<std::ptrdiff_t>(2 * address_bytes_));
      put(imagined, proto(), 2);
      put(imagined, body.size(), 2);
      sum += sum_of(imagined);
    }
    set16(bytes_, transport_ + place, checksum(sum));
  }

 private:
  std::uint16_t u16(std::size_t at) const { return static_cast<std::uint16_t>(bytes_[at] << 8 | bytes_[at + 1]); }
  void read_v4() {
    if (bytes_.size() < ip_ + 28 || bytes_[ip_] != 0x45 || (u16(ip_ + 6) & 0x3fff) != 0) return;
    proto_ = ip_ + 9, addresses_ = ip_ + 12, address_bytes_ = 4, transport_ = ip_ + 20;
  }
  void read_v6() {
    if (bytes_.size() < ip_ + 48) return;
    proto_ = ip_ + 6, addresses_ = ip_ + 8, address_bytes_ = 16, transport_ = ip_ + 40;
  }

  Bytes bytes_;
  std::size_t ip_ = 0, proto_ = 0, addresses_ = 0, address_bytes_ = 0, transport_ = 0;
};

bool answer_echo(IpFrame& f) {
  const std::uint8_t request = f.is_v4() ? 8 : 128, reply = f.is_v4() ? 0 : 129;
  if (f.at(0) != request || f.at(1) != 0) return false;
  f.at(0) = reply;
  f.set_checksum(2, !f.is_v4());
  return true;
}

bool answer_tcp(IpFrame& f) {
  if (f.length() < 20) return false;
  f.swap_ports();
  const bool opens = f.at(13) & kSyn && !(f.at(13) & kAck);
  f.at(13) = opens ? kSyn | kAck : kAck;
  f.set_checksum(16, true);
  return true;
}

}  // namespace

std::optional<std::string> answer_to(const std::string& frame) {
  IpFrame f(frame);
  if (!f.good()) return std::nullopt;
  f.turn();
  switch (f.proto()) {
    case ip_proto::tcp:
      if (!answer_tcp(f)) return std::nullopt;
      break;
    case ip_proto::udp: f.swap_ports(); break;
    case ip_proto::icmp:
    case ip_proto::icmp6:
      if (!answer_echo(f)) return std::nullopt;
      break;
    default: return std::nullopt;
  }
  return hex_of(f.bytes());
}

std::optional<std::string> error_about(const std::string& frame) {
  IpFrame f(frame);
  if (!f.good() || (f.proto() != ip_proto::tcp && f.proto() != ip_proto::udp)) return std::nullopt;
  Bytes quoted = f.packet();
  quoted.resize(std::min(quoted.size(), kQuoted));
  Bytes body = f.is_v4() ? Bytes{3, 3, 0, 0} : Bytes{1, 4, 0, 0};
  put(body, 0, 4);
  body.insert(body.end(), quoted.begin(), quoted.end());
  f.turn();
  f.put_transport(f.is_v4() ? ip_proto::icmp : ip_proto::icmp6, std::move(body));
  f.set_checksum(2, !f.is_v4());
  return hex_of(f.bytes());
}

}  // namespace egt::testing
