// pcapng (draft-ietf-opsawg-pcapng): sections, interface blocks and packets. libpcap reads such files too, but neither
// shows the interfaces' names nor takes files whose interfaces have different link types.
#include <algorithm>
#include <optional>
#include <vector>

#include "pcap/packet_bytes.h"
#include "pcap/readers.h"

namespace egt::parsers::pcap {
namespace {

constexpr std::uint32_t kSectionHeader = 0x0a0d0d0a, kInterface = 1, kOldPacket = 2, kSimplePacket = 3, kPacket = 6;
constexpr std::uint32_t kMagic = 0x1a2b3c4d;
constexpr std::uint16_t kOptionEnd = 0, kOptionName = 2, kOptionResolution = 9, kOptionOffset = 14, kOptionFlags = 2;

// Numbers of a section in its own byte order.
class SectionNumbers {
 public:
  explicit SectionNumbers(std::string_view bytes) : bytes_(bytes) {}
  void set_big_endian(bool big) { big_ = big; }
  std::uint64_t number(std::size_t at, std::size_t size) const {
    std::uint64_t v = 0;
    for (std::size_t i = 0; i < size; ++i) v = v << 8 | static_cast<std::uint8_t>(bytes_[at + (big_ ? i : size - 1 - i)]);
    return v;
  }
  std::uint32_t u32(std::size_t at) const { return static_cast<std::uint32_t>(number(at, 4)); }
  std::uint16_t u16(std::size_t at) const { return static_cast<std::uint16_t>(number(at, 2)); }
  std::string_view part(std::size_t at, std::size_t size) const { return bytes_.substr(at, size); }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
  bool big_ = false;
};

struct Clock {
  std::uint64_t per_second = 1'000'000;
  std::int64_t offset_seconds = 0;

  std::int64_t nanoseconds(std::uint64_t ticks) const {
    const std::uint64_t whole = ticks / per_second, rest = ticks % per_second;
    const auto fraction = static_cast<std::uint64_t>(static_cast<U128>(rest) * 1'000'000'000 / per_second);
    return static_cast<std::int64_t>(whole * 1'000'000'000 + fraction) + offset_seconds * 1'000'000'000;
  }
};

struct Source {
  int link_type = 0;
  std::uint32_t index = 0;
  Clock clock;
};

class File {
 public:
  File(std::string_view bytes, const TakeFrame& take) : in_(bytes), take_(take) { capture_.format = "pcapng"; }

  capture::Capture read() {
    std::size_t at = 0;
    while (at + 12 <= in_.size() && capture_.cut_why.empty()) at += block(at);
    if (capture_.cut_why.empty() && at < in_.size()) capture_.cut_why = "the file ends inside a block";
    return std::move(capture_);
  }

 private:
  // The block's length, whatever was in it.
  std::size_t block(std::size_t at) {
    const bool section = in_.u32(at) == kSectionHeader;  // reads the same in both byte orders
    if (section) {
      in_.set_big_endian(false);
      if (in_.u32(at + 8) != kMagic) in_.set_big_endian(true);
      if (in_.u32(at + 8) != kMagic) capture_.cut_why = "a section without a byte order";
      sources_.clear();
    }
    const std::size_t length = in_.u32(at + 4);
    if (length < 12 || length % 4 != 0 || length > in_.size() - at) {
      if (capture_.cut_why.empty()) capture_.cut_why = "the file ends inside a block";
      return 0;
    }
    body_ = at + 8;
    end_ = at + length - 4;
    switch (in_.u32(at)) {
      case kInterface: interface(); break;
      case kPacket: packet(); break;
      case kOldPacket: old_packet(); break;
      case kSimplePacket: simple_packet(); break;
      default: break;
    }
    return length;
  }

  std::size_t room() const { return end_ - body_; }

  template <class Take>
  void options(std::size_t at, Take take) const {
    while (at + 4 <= end_) {
      const std::uint16_t code = in_.u16(at), size = in_.u16(at + 2);
      if (code == kOptionEnd || at + 4 + size > end_) return;
      take(code, at + 4, size);
      at += 4 + (size + 3u) / 4u * 4u;
    }
  }

  void interface() {
    if (room() < 8) return;
    Source source;
    source.link_type = in_.u16(body_);
    source.index = static_cast<std::uint32_t>(capture_.interfaces.size());
    capture::Interface interface;
    interface.all_devices = is_cooked(source.link_type);
    options(body_ + 8, [&](std::uint16_t code, std::size_t at, std::uint16_t size) {
      if (code == kOptionName) interface.name = std::string(in_.part(at, size));
      if (code == kOptionResolution && size == 1)
        source.clock.per_second = resolution(static_cast<std::uint8_t>(in_.number(at, 1)));
      if (code == kOptionOffset && size == 8) source.clock.offset_seconds = static_cast<std::int64_t>(in_.number(at, 8));
    });
    while (!interface.name.empty() && interface.name.back() == '\0') interface.name.pop_back();
    sources_.push_back(source);
    capture_.interfaces.push_back(std::move(interface));
  }

  // Ticks a second: 10^-n, or 2^-n where the highest bit is set; what does not fit 64 bits is no clock.
  static std::uint64_t resolution(std::uint8_t code) {
    const unsigned exponent = code & 0x7fu;
    if (code & 0x80u) return exponent < 63 ? std::uint64_t{1} << exponent : 1'000'000;
    std::uint64_t value = 1;
    for (unsigned i = 0; i < exponent; ++i) {
      if (exponent > 18) return 1'000'000;
      value *= 10;
    }
    return value;
  }

  void packet() {
    if (room() < 20) return;
    const std::uint64_t ticks = static_cast<std::uint64_t>(in_.u32(body_ + 4)) << 32 | in_.u32(body_ + 8);
    frame(in_.u32(body_), ticks, body_ + 20, in_.u32(body_ + 12));
  }

  void old_packet() {
    if (room() < 20) return;
    const std::uint64_t ticks = static_cast<std::uint64_t>(in_.u32(body_ + 4)) << 32 | in_.u32(body_ + 8);
    frame(in_.u16(body_), ticks, body_ + 20, in_.u32(body_ + 12));
  }

  void simple_packet() {
    if (room() < 4) return;
    frame(0, 0, body_ + 4, std::min<std::uint32_t>(in_.u32(body_), static_cast<std::uint32_t>(room() - 4)));
  }

  void frame(std::uint32_t source, std::uint64_t ticks, std::size_t at, std::uint32_t kept) {
    capture::Frame frame;
    frame.number = capture_.frames + 1;
    if (source >= sources_.size() || kept > end_ - at) {
      ++capture_.frames;
      ++capture_.not_understood;
      if (capture_.first_not_understood == 0) capture_.first_not_understood = frame.number;
      return;
    }
    const Source& from = sources_[source];
    frame.interface = from.index;
    frame.time = from.clock.nanoseconds(ticks);
    options(at + (kept + 3u) / 4u * 4u, [&](std::uint16_t code, std::size_t where, std::uint16_t size) {
      if (code != kOptionFlags || size != 4) return;
      const std::uint32_t direction = in_.u32(where) & 3u;
      if (direction == 1) frame.direction = capture::Direction::in;
      if (direction == 2) frame.direction = capture::Direction::out;
    });
    take_bytes(in_.part(at, kept), from.link_type, frame, capture_, take_);
  }

  SectionNumbers in_;
  const TakeFrame& take_;
  capture::Capture capture_;
  std::vector<Source> sources_;  // of the section at hand
  std::size_t body_ = 0, end_ = 0;
};

}  // namespace

bool is_pcapng(std::string_view bytes) { return bytes.size() >= 4 && bytes.substr(0, 4) == "\x0a\x0d\x0d\x0a"; }

Result<capture::Capture> read_pcapng(std::string_view bytes, const TakeFrame& take) { return File(bytes, take).read(); }

}  // namespace egt::parsers::pcap
