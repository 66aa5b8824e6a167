#include "places.h"

#include <algorithm>
#include <map>

#include "egtrace/engine/workload.h"

namespace egt::explain::capture_study {
namespace {

using capture::Direction;
using cluster::Node;

bool is_separator(char c) { return c == '_' || c == '-' || c == '.' || c == ':' || c == '@' || c == '/' || c == ' '; }

std::string_view trim_separators(std::string_view s) {
  while (!s.empty() && is_separator(s.front())) s.remove_prefix(1);
  while (!s.empty() && is_separator(s.back())) s.remove_suffix(1);
  return s;
}

// The file's name without folders and endings.
std::string_view stem_of(std::string_view path) {
  path = path.substr(path.rfind('/') + 1);
  for (bool again = true; again;) {
    again = false;
    for (const std::string_view ending :
         {".gz", ".xz", ".zst", ".bz2", ".pcap", ".pcapng", ".cap", ".dmp", ".txt", ".log", ".out", ".json", ".data"})
      if (path.size() > ending.size() && path.ends_with(ending)) {
        path.remove_suffix(ending.size());
        again = true;
      }
  }
  return path;
}

bool has_device(const Node& node, std::string_view device) {
  return node.host.link(device) != nullptr || node.port(device).port != nullptr;
}

// Where `word` stands in `text` between separators, the last one; npos where it does not.
std::size_t find_name(std::string_view text, std::string_view word) {
  for (std::size_t at = text.rfind(word); at != std::string_view::npos && !word.empty(); at = text.rfind(word, at - 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || is_separator(text[at - 1])) && (end == text.size() || is_separator(text[end]))) return at;
    if (at == 0) break;
  }
  return std::string_view::npos;
}

// The device that the rest of a file's name shows: the longest name of a device of the node, or "any".
std::string device_in(const Node& node, std::string_view rest) {
  rest = trim_separators(rest);
  if (has_device(node, rest)) return std::string(rest);
  std::string best;
  const auto offer = [&](const std::string& name) {
    if (name.size() > best.size() && find_name(rest, name) != std::string_view::npos) best = name;
  };
  for (const host::Link& link : node.host.links.value) offer(link.name);
  for (const openflow::Bridge& bridge : node.bridges)
    for (const openflow::Interface& port : bridge.interfaces) offer(port.name);
  if (best.empty() && find_name(rest, kAnyDevice) != std::string_view::npos) return kAnyDevice;
  return best;
}

bool holds(const host::Link& link, const IpAddr& address) {
  return std::any_of(link.addresses.begin(), link.addresses.end(),
                     [&](const host::Address& a) { return a.prefix.address == address; });
}

// How well a device fits what was captured; each kind of hint counts once a track.
class Scores {
 public:
  explicit Scores(const Node& node) : node_(node) {
    for (const openflow::Bridge& bridge : node.bridges)
      for (const openflow::Interface& port : bridge.interfaces) ports_.emplace(port.name, &port);
  }

  long of(const host::Link& link, const std::vector<const Track*>& tracks, const cluster::Cluster& cluster) const {
    const auto port = ports_.find(link.name);
    const bool workload = port != ports_.end() && engine::is_workload(*port->second);
    std::optional<MacAddr> mac = link.mac;
    if (workload) mac = engine::workload_network(cluster, node_, *port->second).mac;
    const bool internal = port != ports_.end() && port->second->type == "internal";
    long score = 0;
    for (const Track* t : tracks) {
      const bool own_mac = mac && !mac->is_zero() && (t->key.smac == mac->value || t->key.dmac == mac->value);
      if (t->key.tunnel != 0) {
        // A tunnel's packets are on the NIC, whichever inner address they have; the MACs are those of the packet inside.
        const bool own = owns(t->key.tunnel_src) || owns(t->key.tunnel_dst);
        score += workload || internal || link.link_type == "loopback" ? -4 : own && is_nic(link) ? 4 : 0;
      } else {
        if (own_mac)
          score += 4;
        else if (t->key.smac != 0 && t->key.dmac != 0)
          score -= 1;
        if (holds(link, t->key.src) || holds(link, t->key.dst)) score += 1;
      }
    }
    return score;
  }

 private:
  bool owns(const IpAddr& address) const { return node_.host.owner_of(address) != nullptr; }
  bool is_nic(const host::Link& link) const { return link.kind.empty() || link.kind == "veth" || link.kind == "bond"; }

  const Node& node_;
  std::map<std::string, const openflow::Interface*> ports_;
};

}  // namespace

Places::Places(const cluster::Cluster& cluster, const std::vector<File>& files, const Tracks& tracks)
    : cluster_(cluster), input_(files), files_(files.size()) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (files[i].shown)
      files_[i] = {*files[i].shown, "option", 0};
    else
      files_[i] = from_name(files[i]);
    const bool all = std::any_of(files[i].capture.interfaces.begin(), files[i].capture.interfaces.end(),
                                 [](const capture::Interface& in) { return in.all_devices || !in.name.empty(); });
    if (files_[i].place.device.empty() && all) files_[i].place.device = kAnyDevice;
    if (files[i].capture.of_events && files_[i].place.device.empty()) files_[i].place.device = kAnyDevice;
    if (files_[i].place.node.empty() || files_[i].place.device.empty()) from_content(i, tracks);
    if (files[i].capture.of_events) files_[i].netns = host_netns(i);
  }
  for (const Track& track : tracks.all())
    if (const PlaceKey shown = key_of(track); !known_.contains(shown)) known_.emplace(shown, place_of(track));
}

// "worker-1__eth0.pcap", "worker-1/eth0.pcap", "tcpdump-worker-1-br-ex.pcap"; the longest node's name that fits.
Places::FilePlace Places::from_name(const File& file) const {
  const std::string_view stem = stem_of(file.name);
  const std::string_view whole =
      std::string_view(file.name).substr(0, file.name.rfind('/') == std::string::npos ? 0 : file.name.rfind('/'));
  const std::string_view folder = whole.substr(whole.rfind('/') + 1);
  const Node* best = nullptr;
  std::string_view rest;
  for (const auto& node : cluster_.nodes) {
    if (best != nullptr && node->name.size() <= best->name.size()) continue;
    if (const std::size_t at = find_name(stem, node->name); at != std::string_view::npos) {
      best = node.get();
      // The device follows the node's name, or goes before it.
      rest = stem.substr(at + node->name.size());
      if (device_in(*best, rest).empty()) rest = stem.substr(0, at);
    }
  }
  if (best == nullptr)
    for (const auto& node : cluster_.nodes)
      if (node->name == folder) {
        best = node.get();
        rest = stem;
      }
  if (best == nullptr) return {};
  return {{best->name, device_in(*best, rest)}, "name", 0};
}

void Places::from_content(std::size_t index, const Tracks& tracks) {
  FilePlace& known = files_[index];
  std::vector<const Track*> mine;
  for (const Track& t : tracks.all())
    if (t.key.file == index) mine.push_back(&t);
  constexpr std::size_t kEnough = 2000;
  if (mine.size() > kEnough) mine.resize(kEnough);
  struct Best {
    long score = 0;
    std::string node, device;
    bool tie = false;
  } best;
  for (const auto& node : cluster_.nodes) {
    if (!known.place.node.empty() && node->name != known.place.node) continue;
    const Scores scores(*node);
    for (const host::Link& link : node->host.links.value) {
      if (!known.place.device.empty() && known.place.device != kAnyDevice && link.name != known.place.device) continue;
      const long score = scores.of(link, mine, cluster_);
      if (score > best.score)
        best = {score, node->name, link.name, false};
      else if (score == best.score && score > 0)
        best.tie = best.tie || known.place.device == kAnyDevice ? node->name != best.node : true;
    }
  }
  if (best.score <= 0 || best.tie) return;
  known.place.node = best.node;
  if (known.place.device.empty()) known.place.device = best.device;
  if (known.by.empty()) known.by = "content";
}

// The namespace in which most devices bear the names and indexes that the dumps show; that of a pod has few.
std::uint32_t Places::host_netns(std::size_t index) const {
  const Node* node = cluster_.node(files_[index].place.node);
  if (node == nullptr) return 0;
  std::map<std::uint32_t, std::size_t> agree;
  for (const capture::Interface& in : input_[index].capture.interfaces) {
    const host::Link* link = in.netns == 0 || in.name.empty() || in.name == "lo" ? nullptr : node->host.link(in.name);
    if (link != nullptr && (link->index == in.ifindex || link->index == 0 || in.ifindex == 0)) ++agree[in.netns];
  }
  std::uint32_t best = 0;
  for (const auto& [netns, devices] : agree)  // of equals the oldest: the node's own has the lowest number
    if (best == 0 || devices > agree[best]) best = netns;
  return best;
}

// Empty where the device is not one of the node's own: pods have an eth0, too.
std::string Places::device_of_event(const FilePlace& known, const Track& track) const {
  const Node* node = cluster_.node(known.place.node);
  const auto& interfaces = input_[track.key.file].capture.interfaces;
  if (node == nullptr || track.key.inside || track.key.interface >= interfaces.size()) return {};
  const capture::Interface& in = interfaces[track.key.interface];
  if (in_other_netns(track.key.file, in.netns)) return {};
  if (!in.name.empty()) return has_device(*node, in.name) ? in.name : std::string();
  for (const host::Link& link : node->host.links.value)
    if (in.ifindex != 0 && link.index == in.ifindex) return link.name;
  return {};
}

std::string Places::device_of(const FilePlace& known, const Track& track) const {
  if (input_[track.key.file].capture.of_events) return device_of_event(known, track);
  if (known.place.device != kAnyDevice) return known.place.device;
  const Node* node = cluster_.node(known.place.node);
  const auto& interfaces = input_[track.key.file].capture.interfaces;
  const std::string name = track.key.interface < interfaces.size() ? interfaces[track.key.interface].name : "";
  // A text that was printed on another node names that node's devices: the index is surer.
  if (node != nullptr && track.key.ifindex != 0)
    for (const host::Link& link : node->host.links.value)
      if (link.index == track.key.ifindex) return link.name;
  if (node != nullptr && !name.empty() && name != kAnyDevice && has_device(*node, name)) return name;
  return {};
}

Direction Places::direction_of(const Node& node, const std::string& device, const Track& track) const {
  if (track.key.direction != Direction::unknown || track.key.smac == 0) return track.key.direction;
  const auto port = node.port(device);
  if (port.port != nullptr && engine::is_workload(*port.port)) {
    const engine::PodNetwork pod = engine::workload_network(cluster_, node, *port.port);
    if (pod.mac && track.key.smac == pod.mac->value) return Direction::in;
    if (pod.mac && track.key.dmac == pod.mac->value) return Direction::out;
    return Direction::unknown;
  }
  if (track.key.tunnel != 0) {  // the MACs are those of the packet inside
    if (node.host.owner_of(track.key.tunnel_src) != nullptr) return Direction::out;
    return node.host.owner_of(track.key.tunnel_dst) != nullptr ? Direction::in : Direction::unknown;
  }
  bool from = false, to = false;
  for (const host::Link& link : node.host.links.value) {
    const bool on_top = link.name == device || link.peer == device || link.master == device;
    if (!on_top || !link.mac || link.mac->is_zero()) continue;
    from |= link.mac->value == track.key.smac;
    to |= link.mac->value == track.key.dmac;
  }
  if (from == to) return Direction::unknown;
  return from ? Direction::out : Direction::in;
}

TrackPlace Places::place_of(const Track& track) {
  const FilePlace& known = files_[track.key.file];
  const std::string device = device_of(known, track);
  const CapturePlace& at = places_.try_emplace({known.place.node, device}, CapturePlace{known.place.node, device}).first->second;
  TrackPlace place{&at, track.key.direction};
  const Node* node = cluster_.node(at.node);
  if (node != nullptr && !device.empty()) place.direction = direction_of(*node, device, track);
  return place;
}

const CapturePlace* Places::find(const std::string& node, const std::string& device) const {
  const auto found = places_.find({node, device});
  return found == places_.end() ? nullptr : &found->second;
}

bool Places::captured(const std::string& node, const std::string& device) const {
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const CapturePlace& place = files_[i].place;
    if (!input_[i].capture.of_events && place.node == node && (place.device == device || place.device == kAnyDevice)) return true;
  }
  return false;
}

}  // namespace egt::explain::capture_study
