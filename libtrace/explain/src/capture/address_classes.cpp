#include "address_classes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <string_view>

#include "egtrace/base/parallel.h"
#include "egtrace/base/text.h"

namespace egt::explain::capture_study {
namespace {

// Where classes begin, of one family. Going past the last address ends in 0, which always begins one.
template <class Value>
struct Starts {
  std::vector<Value> values{0};

  // A network has an address of its own, gateways next to it by custom, and a broadcast address.
  void network(Value first, Value last) {
    for (const Value& v : {first, first + 1, first + 2, first + 3, last, last + 1}) values.push_back(static_cast<Value>(v));
  }
  // Its length may stand apart from it, or in a mask: each network that could be meant.
  void address(Value a) {
    values.push_back(a);
    values.push_back(static_cast<Value>(a + 1));
    for (Value size = 2; size != 0 && (a & static_cast<Value>(size - 1)) == 0; size = static_cast<Value>(size << 1))
      network(a, static_cast<Value>(a + size - 1));
  }
  void prefix(Value a, unsigned length) {
    address(a);
    constexpr unsigned kBits = sizeof(Value) * 8;
    if (length > kBits) return;
    const Value hosts = length == 0 ? static_cast<Value>(~Value{0}) : static_cast<Value>((Value{1} << (kBits - length)) - 1);
    network(static_cast<Value>(a & ~hosts), static_cast<Value>(a | hosts));
  }
  void tidy() {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
  }
};

struct ClassStarts {
  Starts<std::uint32_t> v4;
  Starts<U128> v6;
  bool holes4 = false, holes6 = false;  // a mask looks at bits behind others that it does not look at

  void add(const Prefix& p) {
    if (p.address.is_v4())
      v4.prefix(p.address.as_v4(), p.length);
    else
      v6.prefix(p.address.value, p.length);
  }
};

// What programs know without any dump: loopback, link-local, private, multicast and such (RFC 6890, RFC 6724).
constexpr std::array kSpecial = {"0.0.0.0/8",     "10.0.0.0/8",   "100.64.0.0/10",  "127.0.0.0/8",   "169.254.0.0/16",
                                 "172.16.0.0/12", "192.0.0.0/24", "192.168.0.0/16", "198.18.0.0/15", "224.0.0.0/4",
                                 "224.0.0.0/24",  "239.0.0.0/8",  "240.0.0.0/4",    "::/96",         "::1/128",
                                 "::ffff:0:0/96", "64:ff9b::/96", "2001::/32",      "2002::/16",     "2000::/3",
                                 "fc00::/7",      "fe80::/10",    "fec0::/10",      "ff00::/8",      "3ffe::/16"};

class ClassReader {
 public:
  ClassReader(std::string_view text, ClassStarts& found) : text_(text), found_(found) {}

  void read() {
    dotted();
    hexadecimal();
    colons();
  }

 private:
  // "10.0.0.1", "10.0.0.0/8", "10.0.0.0/255.0.0.0"; of a range both ends stand for themselves.
  void dotted() {
    std::size_t at = 0;
    while (const char* dot = find('.', at)) {
      const std::size_t here = static_cast<std::size_t>(dot - text_.data());
      at = here + 1;
      std::size_t begin = here;
      while (begin > 0 && here - begin < 3 && is_digit(text_[begin - 1])) --begin;
      if (begin == here) continue;
      std::size_t end = begin;
      const auto a = quad(end);
      if (!a) continue;
      at = end;
      take_length(*a, begin, end);
    }
  }

  std::optional<std::uint32_t> quad(std::size_t& at) const {
    std::uint32_t value = 0;
    std::size_t i = at;
    for (int part = 0; part < 4; ++part) {
      if (part > 0 && (i >= text_.size() || text_[i++] != '.')) return std::nullopt;
      unsigned number = 0;
      const std::size_t first = i;
      while (i < text_.size() && i - first < 3 && is_digit(text_[i]))
        number = number * 10 + static_cast<unsigned>(text_[i++] - '0');
      if (i == first || number > 255) return std::nullopt;
      value = value << 8 | number;
    }
    at = i;
    return value;
  }

  // `begin`: of the address; "& 0.0.0.255" of nft is a mask.
  void take_length(std::uint32_t a, std::size_t begin, std::size_t at) {
    if (text_.substr(0, begin).ends_with("& ")) found_.holes4 |= has_holes(a);
    if (at >= text_.size() || text_[at] != '/') return found_.v4.address(a);
    ++at;
    const auto mask = quad(at);
    if (!mask) return found_.v4.prefix(a, number(at));
    found_.v4.prefix(a, static_cast<unsigned>(std::countl_one(*mask)));
    found_.holes4 |= has_holes(*mask);
  }

  static bool has_holes(std::uint32_t mask) { return mask << std::countl_one(mask) != 0; }

  unsigned number(std::size_t at) const {
    unsigned value = 0;
    for (std::size_t digits = 0; at < text_.size() && digits < 3 && is_digit(text_[at]); ++at, ++digits)
      value = value * 10 + static_cast<unsigned>(text_[at] - '0');
    return value;
  }

  // Registers and loads hold addresses as numbers, IPv4 ones in any of four places of 128 bits.
  void hexadecimal() {
    std::size_t at = 0;
    while (const char* x = find('x', at)) {
      const std::size_t here = static_cast<std::size_t>(x - text_.data());
      at = here + 1;
      if (here == 0 || text_[here - 1] != '0') continue;
      U128 value = 0;
      std::size_t digits = 0;
      for (; at < text_.size() && is_hex_digit(text_[at]) && digits < 32; ++at, ++digits)
        value = value << 4 | static_cast<unsigned>(hex_value(text_[at]));
      for (unsigned shift = 0; shift < 128; shift += 32)
        if (const auto part = static_cast<std::uint32_t>(value >> shift); part > 0xffff) found_.v4.address(part);
      if (digits > 16) found_.v6.address(value);
    }
  }

  static int hex_value(char c) { return is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10; }

  // "fd00::1", "fd00:0:0:1::/64"; neither times nor MAC addresses.
  void colons() {
    std::size_t at = 0;
    const auto is_part = [this](std::size_t i) { return is_hex_digit(text_[i]) || text_[i] == ':' || text_[i] == '.'; };
    while (const char* colon = find(':', at)) {
      std::size_t begin = static_cast<std::size_t>(colon - text_.data()), end = begin;
      constexpr std::size_t kLongest = 46;
      while (begin > at && end - begin < kLongest && is_part(begin - 1)) --begin;
      while (end < text_.size() && end - begin < kLongest && is_part(end)) ++end;
      at = std::max(end, at + 1);
      take_colons(begin, end);
    }
  }

  void take_colons(std::size_t begin, std::size_t end) {
    const std::string_view word = text_.substr(begin, end - begin);
    if (word.find("::") == std::string_view::npos && std::count(word.begin(), word.end(), ':') < 7) return;
    // A colon or a full stop may belong to the words around it: "src:fd00::1", "fd00::1:".
    for (std::size_t cut = 0; cut < 6 && cut < word.size(); ++cut) {
      const bool behind_colon = cut == 0 || word[cut - 1] == ':';
      if (!behind_colon) continue;
      for (std::size_t tail = 0; tail < 2 && cut + tail < word.size(); ++tail)
        if (const auto a = IpAddr::parse(word.substr(cut, word.size() - cut - tail)); a && !a->is_v4())
          take_length(a->value, end - tail);
    }
  }

  void take_length(const U128& a, std::size_t at) {
    if (at >= text_.size() || text_[at] != '/') return found_.v6.address(a);
    const std::size_t end = std::min(text_.find_first_not_of("0123456789abcdefABCDEF:.", ++at), text_.size());
    const auto mask = IpAddr::parse(text_.substr(at, end - at));
    if (!mask || mask->is_v4()) return found_.v6.prefix(a, number(at));
    unsigned length = 0;
    while (length < 128 && (mask->value >> (127 - length) & 1) != 0) ++length;
    found_.v6.prefix(a, length);
    found_.holes6 |= length < 128 && static_cast<U128>(mask->value << length) != 0;
  }

  const char* find(char c, std::size_t from) const {
    if (from >= text_.size()) return nullptr;
    return static_cast<const char*>(std::memchr(text_.data() + from, c, text_.size() - from));
  }

  const std::string_view text_;
  ClassStarts& found_;
};

// Of what parsers read, in pieces that end at the end of a line.
std::vector<std::string_view> pieces_of(const cluster::Cluster& cluster) {
  std::vector<bool> is_read(cluster.sources->size() + 1, true);
  for (const cluster::DumpInfo& dump : cluster.dumps)
    if (dump.kind == "unknown" && dump.source < is_read.size()) is_read[dump.source] = false;
  constexpr std::size_t kPiece = 4U << 20;
  std::vector<std::string_view> pieces;
  for (const SourceId id : cluster.sources->dumps()) {  // which hold the rows of databases, too
    if (id >= is_read.size() || !is_read[id]) continue;
    std::string_view text = cluster.sources->at(id).text;
    while (text.size() > kPiece) {
      const std::size_t end = std::min(text.find('\n', kPiece), text.size() - 1) + 1;
      pieces.push_back(text.substr(0, end));
      text.remove_prefix(end);
    }
    pieces.push_back(text);
  }
  return pieces;
}

// Of several addresses a node prefers, as a source, the one that has the most leading bits in common with the
// destination (RFC 6724, rule 8): each number of common bits is a class of its own.
void add_own_addresses(const cluster::Cluster& cluster, ClassStarts& found) {
  for (const auto& node : cluster.nodes)
    for (const host::Link& link : node->host.links.value)
      for (const host::Address& own : link.addresses)
        for (unsigned length = 0; length <= address_bits(own.prefix.address.family); ++length)
          found.add({own.prefix.address, static_cast<std::uint8_t>(length)});
}

template <class Value>
Value start_of(const std::vector<Value>& starts, Value v) {
  return *(std::upper_bound(starts.begin(), starts.end(), v) - 1);
}

template <class Value>
bool alone(const std::vector<Value>& starts, Value v) {
  const auto behind = std::upper_bound(starts.begin(), starts.end(), v);
  return *(behind - 1) == v && behind != starts.end() && *behind == static_cast<Value>(v + 1);
}

}  // namespace

AddressClasses::AddressClasses(const cluster::Cluster& cluster) {
  const std::vector<std::string_view> pieces = pieces_of(cluster);
  std::vector<ClassStarts> found(pieces.size() + 1);
  for_each_index(pieces.size(), 0, 1, [&](std::size_t i) {
    ClassReader(pieces[i], found[i]).read();
    found[i].v4.tidy();
    found[i].v6.tidy();
  });
  for (const char* text : kSpecial)
    if (const auto prefix = Prefix::parse(text)) found.back().add(*prefix);
  add_own_addresses(cluster, found.back());
  ClassStarts all;
  for (const ClassStarts& f : found) {
    all.v4.values.insert(all.v4.values.end(), f.v4.values.begin(), f.v4.values.end());
    all.v6.values.insert(all.v6.values.end(), f.v6.values.begin(), f.v6.values.end());
    holes4_ |= f.holes4;
    holes6_ |= f.holes6;
  }
  all.v4.tidy();
  all.v6.tidy();
  starts4_ = std::move(all.v4.values);
  starts6_ = std::move(all.v6.values);
}

IpAddr AddressClasses::first_of(const IpAddr& address) const {
  if (address.is_v4() ? holes4_ : holes6_) return address;
  return address.is_v4() ? IpAddr::v4(start_of(starts4_, address.as_v4())) : IpAddr::v6(start_of(starts6_, address.value));
}

bool AddressClasses::is_alone(const IpAddr& address) const {
  if (address.is_v4() ? holes4_ : holes6_) return true;
  return address.is_v4() ? alone(starts4_, address.as_v4()) : alone(starts6_, address.value);
}

}  // namespace egt::explain::capture_study
