// Which node and device a capture shows: what the user gives, the file's name, or the MAC and IP addresses in it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "egtrace/cluster/cluster.h"
#include "egtrace/explain/capture.h"
#include "tracks.h"

namespace egt::explain::capture_study {

struct File {
  std::string name;
  std::optional<CapturePlace> shown;
  capture::Capture capture;
};

// A track's place and direction. Places are few and tracks many: equal ones are one object.
struct TrackPlace {
  const CapturePlace* at = nullptr;  // never null of a track; node and device are empty where they are not known
  capture::Direction direction = capture::Direction::unknown;

  const std::string& node() const { return at->node; }
  const std::string& device() const { return at->device; }
};

class Places {
 public:
  Places(const cluster::Cluster& cluster, const std::vector<File>& files, const Tracks& tracks);

  // `track`: one of those that were given.
  TrackPlace of(const Track& track) const { return known_.at(key_of(track)); }
  // The place of this name, where a track was seen there; else null.
  const CapturePlace* find(const std::string& node, const std::string& device) const;
  // Whether a packet on this device would have been captured.
  bool captured(const std::string& node, const std::string& device) const;
  const CapturePlace& file(std::size_t index) const { return files_[index].place; }
  const std::string& placed_by(std::size_t index) const { return files_[index].by; }
  // Whether an event happened in another network namespace than the node's own, as far as that is known.
  bool in_other_netns(std::size_t index, std::uint32_t netns) const {
    return netns != 0 && files_[index].netns != 0 && netns != files_[index].netns;
  }

 private:
  struct FilePlace {
    CapturePlace place;
    std::string by;
    std::uint32_t netns = 0;  // of events: the node's own network namespace; 0: not known
  };

  // What of a track decides its place: thousands of tracks share it.
  using PlaceKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, capture::Direction, std::uint64_t, std::uint64_t,
                              std::uint8_t, IpAddr, IpAddr, bool>;
  static PlaceKey key_of(const Track& track) {
    const TrackKey& k = track.key;
    return {k.file, k.interface, k.ifindex, k.direction, k.smac, k.dmac, k.tunnel, k.tunnel_src, k.tunnel_dst, k.inside};
  }
  TrackPlace place_of(const Track& track);
  FilePlace from_name(const File& file) const;
  void from_content(std::size_t index, const Tracks& tracks);
  std::string device_of(const FilePlace& known, const Track& track) const;
  std::string device_of_event(const FilePlace& known, const Track& track) const;
  std::uint32_t host_netns(std::size_t index) const;
  capture::Direction direction_of(const cluster::Node& node, const std::string& device, const Track& track) const;

  const cluster::Cluster& cluster_;
  const std::vector<File>& input_;
  std::vector<FilePlace> files_;
  std::map<PlaceKey, TrackPlace> known_;
  std::map<std::pair<std::string, std::string>, CapturePlace> places_;
};

constexpr const char* kAnyDevice = "any";

}  // namespace egt::explain::capture_study
