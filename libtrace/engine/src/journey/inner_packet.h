// The packet in a tunnel: what it has of the outer packet's path, and how it comes out.
#pragma once

#include "walk.h"

namespace egt::engine {

class InnerPacket {
 public:
  // `encap`: the header of the outer packet, as it is sent. All must outlive it.
  InnerPacket(Walk& walk, const InTunnel& at, const Encap& encap) : walk_(walk), at_(at), encap_(encap) {}

  void note_encapsulation(bool path_shown, bool ipsec_presumed);
  // What the outer packet's path rests on, the inner one's rests on as well. `arrived`: at a host.
  void adopt(const Record& outer, bool arrived);
  // By the port of the node that the outer packet has come to.
  Next decapsulate(const Arrival& outer);
  // The outer packet has come to no host.
  Arrival lose(const Arrival& outer);

 private:
  void see(const Record& outer, bool encrypted);

  Walk& walk_;
  const InTunnel& at_;
  const Encap& encap_;
};

}  // namespace egt::engine
