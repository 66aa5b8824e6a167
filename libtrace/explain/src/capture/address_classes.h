// Which addresses no dump distinguishes. Everything that decides about a packet compares its addresses with what some
// dump says; addresses between two neighbouring ones that the dumps' text has therefore have the same outcome, and one walk
// does for all of them. The text is gone through, not the model: what the model learns to read later is covered as well.
#pragma once

#include <cstdint>
#include <vector>

#include "egtrace/base/ip.h"
#include "egtrace/cluster/cluster.h"

namespace egt::explain::capture_study {

class AddressClasses {
 public:
  explicit AddressClasses(const cluster::Cluster& cluster);

  // The first address of the class that the address is in; two addresses of one class have the same.
  IpAddr first_of(const IpAddr& address) const;
  // Whether no other address is in its class: dumps name it, or it is next to what they name.
  bool is_alone(const IpAddr& address) const;

 private:
  std::vector<std::uint32_t> starts4_;  // of classes, ascending; the first is 0
  std::vector<U128> starts6_;
  bool holes4_ = false, holes6_ = false;  // masks with holes compare what no interval is: each address is alone
};

}  // namespace egt::explain::capture_study
