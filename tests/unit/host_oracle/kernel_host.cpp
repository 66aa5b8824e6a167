#include "kernel_host.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/filter.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <fstream>

#include "namespace.h"

namespace egt::test {
namespace {

namespace fs = std::filesystem;

// The calling thread is in another network namespace while it lives.
class Inside {
 public:
  Inside(int space, int own) : own_(own) { ok_ = setns(space, CLONE_NEWNET) == 0; }
  ~Inside() {
    if (ok_ && setns(own_, CLONE_NEWNET) != 0) abort();
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  int own_;
  bool ok_ = false;
};

struct Address {
  sockaddr_storage storage{};
  socklen_t length = 0;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

Address address_of(const IpAddr& a, std::uint16_t port) {
  Address out;
  if (a.is_v4()) {
    auto* in = reinterpret_cast<sockaddr_in*>(&out.storage);
    in->sin_family = AF_INET;
    in->sin_port = htons(port);
    in->sin_addr.s_addr = htonl(a.as_v4());
    out.length = sizeof *in;
  } else {
    auto* in = reinterpret_cast<sockaddr_in6*>(&out.storage);
    in->sin6_family = AF_INET6;
    in->sin6_port = htons(port);
    for (int i = 0; i < 16; ++i) in->sin6_addr.s6_addr[i] = static_cast<std::uint8_t>(a.value >> (8 * (15 - i)));
    out.length = sizeof *in;
  }
  return out;
}

IpAddr address_in(const sockaddr_in6& in) {
  U128 v = 0;
  for (const std::uint8_t byte : in.sin6_addr.s6_addr) v = v << 8 | byte;
  return {Family::v6, v};
}

void set_option(int socket, int level, int name, int value) { setsockopt(socket, level, name, &value, sizeof value); }

// Nobody of the host answers: what reaches these sockets is thrown away.
void swallow(int socket) {
  sock_filter nothing = BPF_STMT(BPF_RET | BPF_K, 0);
  sock_fprog program{1, &nothing};
  setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
}

constexpr std::uint16_t kPorts[] = {53, 80, 443, 1234, 1235, 1236, 8080, 9000};

}  // namespace

MacAddr KernelHost::mac_of_host(unsigned wire) { return MacAddr{0x02000000ff00u + std::uint64_t{wire}}; }
MacAddr KernelHost::mac_of_neighbour(unsigned wire, unsigned host_part) {
  return MacAddr{0x020000000000u + (std::uint64_t{wire} << 8) + host_part};
}

KernelHost::KernelHost() {
  static int counter = 0;
  name_ = fmt::format("egt{}x{}", getpid(), counter++);
  if (geteuid() != 0) {
    problem_ = "needs root";
    return;
  }
  own_space_ = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
  for (const char* part : {"h", "o"})
    if (const Output out = run("ip netns add " + name_ + part); out.status != 0) problem_ = "no namespaces: " + out.text;
  if (!problem_.empty()) return;
  host_space_ = open(("/run/netns/" + name_ + "h").c_str(), O_RDONLY | O_CLOEXEC);
  outside_space_ = open(("/run/netns/" + name_ + "o").c_str(), O_RDONLY | O_CLOEXEC);
  std::string lines = "link set lo up\n";
  for (unsigned i = 0; i < kWires; ++i)
    lines += fmt::format("link add v{0} address {1} type veth peer name p{0} netns {2}o\n", i, mac_of_host(i).to_string(), name_);
  if (!feed("ip -batch -", lines)) return;
  Inside outside(outside_space_, own_space_);
  std::ofstream("/proc/sys/net/ipv6/conf/all/disable_ipv6") << "1";
  std::ofstream("/proc/sys/net/ipv6/conf/default/disable_ipv6") << "1";
  for (unsigned i = 0; i < kWires; ++i) run(fmt::format("ip link set p{} up", i));
}

KernelHost::~KernelHost() {
  for (const Wire& w : wires_) close(w.socket);
  for (const Local& l : local_) close(l.socket);
  for (const int s : listeners_) close(s);
  if (sender_ >= 0) close(sender_);
  for (const int s : {own_space_, host_space_, outside_space_})
    if (s >= 0) close(s);
  if (host_space_ >= 0) run(fmt::format("ip netns del {0}h; ip netns del {0}o", name_));
}

bool KernelHost::run_in_host(const std::string& command) {
  Inside host(host_space_, own_space_);
  const Output out = run(command);
  if (out.status != 0 && problem_.empty()) problem_ = command.substr(0, 200) + ": " + out.text;
  return out.status == 0;
}

bool KernelHost::feed(const std::string& command, const std::string& input) {
  if (input.empty()) return true;
  const fs::path file = fs::temp_directory_path() / (name_ + ".in");
  std::ofstream(file) << input;
  const bool done = run_in_host(fmt::format("cat {} | ( {} )", file.string(), command));
  if (!done) problem_ += "\n" + input;
  fs::remove(file);
  return done;
}

bool KernelHost::set_up(const HostSetup& setup) {
  if (!feed("ip -batch -", setup.links)) return false;
  {
    Inside host(host_space_, own_space_);
    for (const auto& [key, value] : setup.sysctl) {
      std::string path = "/proc/sys/" + key;
      std::replace(path.begin() + 10, path.end(), '.', '/');
      std::ofstream(path) << value;
    }
  }
  const std::string tool = setup.legacy ? "-legacy-restore" : "-restore";
  const auto iptables = [&] { return feed("iptables" + tool, setup.iptables) && feed("ip6tables" + tool, setup.ip6tables); };
  bool done = feed("ip -batch -", setup.devices) && feed("ip -4 -force -batch - || true", setup.ip4) &&
              feed("ip -6 -force -batch - || true", setup.ip6);
  if (fs::exists("/usr/sbin/ipset")) done = done && feed("ipset restore", setup.ipset);
  if (setup.nft_first)
    done = done && feed("nft -f -", setup.nft) && iptables();
  else
    done = done && iptables() && feed("nft -f -", setup.nft);
  if (done) open_sockets();
  return done;
}

void KernelHost::dump(const fs::path& folder, bool with_sets) const {
  fs::create_directories(folder);
  // Devices that have just come up are shown without carrier for a moment.
  std::string script =
      "for i in $(seq 40); do ip link | grep -q NO-CARRIER || break; sleep 0.05; done\ncd " + folder.string() + "\n";
  for (const char* command : {"ip -d addr", "ip neigh", "ip neigh show proxy", "ip rule", "ip -6 rule", "ip route show table all",
                              "ip -6 route show table all", "ip nexthop", "ip xfrm policy", "iptables-save -c",
                              "ip6tables-save -c", "iptables-legacy-save -c", "ip6tables-legacy-save -c", "nft list ruleset"}) {
    std::string file = command;
    std::replace(file.begin(), file.end(), ' ', '_');
    script += fmt::format("{} > {} 2>/dev/null\n", command, file);
  }
  if (with_sets) script += "ipset save > ipset_save 2>/dev/null\n";
  script += "sysctl -a -r '^net\\.(ipv4|ipv6|bridge|netfilter)\\.' > sysctl_-a 2>/dev/null\nhostname > hostname\ntrue\n";
  Inside host(host_space_, own_space_);
  const fs::path file = folder / ".script";
  std::ofstream(file) << script;
  run("sh " + file.string());
  fs::remove(file);
}

bool KernelHost::dump_connections(const fs::path& folder) const {
  Inside host(host_space_, own_space_);
  return run(fmt::format("conntrack -L > {0}/conntrack_-L 2>/dev/null && conntrack -L -f ipv6 > "
                         "{0}/conntrack_-L_-f_ipv6 2>/dev/null",
                         folder.string()))
             .status == 0;
}

int KernelHost::open_inside(int space, int domain, int type, int protocol) {
  Inside there(space, own_space_);
  return socket(domain, type | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
}

void KernelHost::open_sockets() {
  for (unsigned i = 0; i < kWires; ++i) {
    Inside outside(outside_space_, own_space_);
    const int s = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, htons(ETH_P_ALL));
    sockaddr_ll at{};
    at.sll_family = AF_PACKET;
    at.sll_protocol = htons(ETH_P_ALL);
    at.sll_ifindex = static_cast<int>(if_nametoindex(fmt::format("p{}", i).c_str()));
    if (bind(s, reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0) problem_ = "no packet sockets";
    wires_.push_back({s, fmt::format("v{}", i)});
  }
  Inside host(host_space_, own_space_);
  for (const Family f : {Family::v4, Family::v6})
    for (const std::uint8_t proto :
         {ip_proto::tcp, ip_proto::udp, ip_proto::sctp, f == Family::v4 ? ip_proto::icmp : ip_proto::icmp6}) {
      const int s = socket(f == Family::v4 ? AF_INET : AF_INET6, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, proto);
      set_option(s, f == Family::v4 ? IPPROTO_IP : IPPROTO_IPV6, f == Family::v4 ? IP_PKTINFO : IPV6_RECVPKTINFO, 1);
      if (f == Family::v6) set_option(s, IPPROTO_IPV6, IPV6_RECVHOPLIMIT, 1);
      local_.push_back({s, f, proto});
    }
  for (const int type : {SOCK_STREAM, SOCK_DGRAM})
    for (const std::uint16_t port : kPorts) {
      const int s = socket(AF_INET6, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
      set_option(s, IPPROTO_IPV6, IPV6_V6ONLY, 0);
      swallow(s);
      const Address any = address_of(IpAddr::v6(0), port);
      if (bind(s, any.get(), any.length) == 0 && type == SOCK_STREAM) listen(s, 1);
      listeners_.push_back(s);
    }
  struct if_nameindex* const all = if_nameindex();
  for (const struct if_nameindex* i = all; i != nullptr && i->if_index != 0; ++i)
    device_names_[static_cast<int>(i->if_index)] = i->if_name;
  if (all != nullptr) if_freenameindex(all);
}

bool KernelHost::inject(unsigned wire, const Bytes& frame) {
  last_local_.reset();
  if (sender_ >= 0) close(sender_);
  sender_ = -1;
  return ::send(wires_[wire].socket, frame.data(), frame.size(), 0) == static_cast<ssize_t>(frame.size());
}

bool KernelHost::send(const LocalProbe& probe, std::uint32_t number) {
  const FlowKey& k = probe.packet;
  const Tuple t = tuple_of(k);
  const bool v4 = t.dst.is_v4();
  const bool stream = t.proto == ip_proto::tcp;
  last_local_ = stream ? std::optional(number) : std::nullopt;
  if (sender_ >= 0) close(sender_);  // or it would send its SYN again
  const int s = sender_ = open_inside(host_space_, v4 ? AF_INET : AF_INET6, stream ? SOCK_STREAM : SOCK_DGRAM, 0);
  if (const int mark = static_cast<int>(k.u32(FieldId::pkt_mark)); mark != 0) set_option(s, SOL_SOCKET, SO_MARK, mark);
  set_option(s, SOL_SOCKET, SO_REUSEADDR, 1);
  set_option(s, SOL_SOCKET, SO_BROADCAST, 1);
  if (v4) set_option(s, IPPROTO_IP, IP_TTL, static_cast<int>(k.u32(FieldId::nw_ttl)));
  if (v4) set_option(s, IPPROTO_IP, IP_TOS, static_cast<int>(k.u32(FieldId::nw_tos)));
  if (!probe.bound_device.empty())
    setsockopt(s, SOL_SOCKET, SO_BINDTODEVICE, probe.bound_device.data(), static_cast<socklen_t>(probe.bound_device.size()));
  const IpAddr any = v4 ? IpAddr::v4(0) : IpAddr::v6(0);
  const Address own = address_of(probe.choose_source ? any : t.src, t.sport);
  if (bind(s, own.get(), own.length) != 0) return false;
  const Address to = address_of(t.dst, t.dport);
  if (stream) return connect(s, to.get(), to.length) == 0 || errno == EINPROGRESS;
  if (probe.connected && connect(s, to.get(), to.length) != 0) return false;
  const std::uint32_t text = htonl(0xe6000000 | number);
  return sendto(s, &text, sizeof text, 0, probe.connected ? nullptr : to.get(), probe.connected ? 0 : to.length) > 0;
}

std::map<std::uint32_t, Observation> KernelHost::collect(int milliseconds) {
  std::map<std::uint32_t, Observation> out;
  read_wires(out);
  read_local(out);
  if (!out.empty() || milliseconds == 0) return out;
  std::vector<pollfd> all;
  for (const Wire& w : wires_) all.push_back({w.socket, POLLIN, 0});
  for (const Local& l : local_) all.push_back({l.socket, POLLIN, 0});
  // What wakes first may be a frame of the kernel's own, such as a router solicitation.
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  while (out.empty()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
    if (left <= 0 || poll(all.data(), all.size(), static_cast<int>(left)) <= 0) break;
    read_wires(out);
    read_local(out);
  }
  return out;
}

std::vector<KernelHost::Frame> KernelHost::frames(int milliseconds) {
  std::vector<Frame> out;
  std::vector<pollfd> all;
  for (const Wire& w : wires_) all.push_back({w.socket, POLLIN, 0});
  std::array<std::uint8_t, 2048> buffer;
  while (poll(all.data(), all.size(), milliseconds) > 0)
    for (unsigned wire = 0; wire < wires_.size(); ++wire) {
      sockaddr_ll from{};
      socklen_t length = sizeof from;
      const ssize_t n =
          recvfrom(wires_[wire].socket, buffer.data(), buffer.size(), 0, reinterpret_cast<sockaddr*>(&from), &length);
      if (n > 0 && from.sll_pkttype != PACKET_OUTGOING) out.push_back({wire, Bytes(buffer.begin(), buffer.begin() + n)});
    }
  return out;
}

// A SYN of a process shows no number, but its random sequence number may look like one.
void KernelHost::take_for_local(Seen& seen) const {
  const bool opens = seen.key.u64(FieldId::nw_proto) == ip_proto::tcp && seen.key.u64(FieldId::tcp_flags) == 0x02;
  const bool refused = seen.quoted && seen.quoted->proto == ip_proto::tcp;
  if ((opens || refused) && last_local_ && (!seen.number || *seen.number > *last_local_)) seen.number = last_local_;
}

void KernelHost::read_wires(std::map<std::uint32_t, Observation>& out) {
  std::array<std::uint8_t, 2048> buffer;
  for (const Wire& w : wires_)
    for (;;) {
      sockaddr_ll from{};
      socklen_t length = sizeof from;
      const ssize_t n = recvfrom(w.socket, buffer.data(), buffer.size(), 0, reinterpret_cast<sockaddr*>(&from), &length);
      if (n <= 0) break;
      if (from.sll_pkttype == PACKET_OUTGOING) continue;
      auto seen = read_frame(std::span(buffer).first(static_cast<std::size_t>(n)));
      if (!seen) continue;
      take_for_local(*seen);
      if (seen->number) out[*seen->number].sent.push_back({w.device, *seen});
    }
}

void KernelHost::read_local(std::map<std::uint32_t, Observation>& out) {
  std::array<std::uint8_t, 2048> buffer;
  std::array<char, 256> control;
  for (const Local& l : local_)
    for (;;) {
      sockaddr_in6 from{};
      iovec part{buffer.data(), buffer.size()};
      msghdr message{};
      message.msg_name = &from;
      message.msg_namelen = sizeof from;
      message.msg_iov = &part;
      message.msg_iovlen = 1;
      message.msg_control = control.data();
      message.msg_controllen = control.size();
      const ssize_t n = recvmsg(l.socket, &message, 0);
      if (n <= 0) break;
      const auto bytes = std::span(buffer).first(static_cast<std::size_t>(n));
      std::optional<Seen> seen;
      int device = 0;
      if (l.family == Family::v4)
        seen = read_packet(bytes);
      else {
        seen.emplace();
        seen->key.set(FieldId::eth_type, ethertype::ipv6);
        seen->key.set(FieldId::nw_proto, l.proto);
        set_src_ip(seen->key, address_in(from));
      }
      for (cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(&message, c)) {
        if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO)
          device = reinterpret_cast<const in_pktinfo*>(CMSG_DATA(c))->ipi_ifindex;
        if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO) {
          const auto* info = reinterpret_cast<const in6_pktinfo*>(CMSG_DATA(c));
          sockaddr_in6 to{};
          to.sin6_addr = info->ipi6_addr;
          device = static_cast<int>(info->ipi6_ifindex);
          set_dst_ip(seen->key, address_in(to));
        }
        if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_HOPLIMIT)
          seen->key.set(FieldId::nw_ttl, static_cast<unsigned>(*reinterpret_cast<const int*>(CMSG_DATA(c))));
      }
      if (!seen) continue;
      if (l.family == Family::v6) read_transport(bytes, *seen);
      take_for_local(*seen);
      if (seen->number) out[*seen->number].delivered.push_back({device_names_[device], *seen});
    }
}

}  // namespace egt::test
