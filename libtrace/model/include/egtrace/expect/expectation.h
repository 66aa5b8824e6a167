// What the user expects of packets: a file of expectations (docs/expectations.md) as data. `assess` judges it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "egtrace/cluster/objects.h"
#include "egtrace/outcome/outcome.h"

namespace egt::expect {

// One end, or many: a POINT, a pattern over pods ("shop/*", "*/cart-?"), a CIDR that stands for everything known in it.
struct EndPattern {
  std::string text;
  cluster::LabelSelector pods;         // narrows pods by their labels where present
  cluster::LabelSelector namespaces;   // and by those of their namespace
  std::string default_namespace = {};  // of a pod's bare name
};

// Each list holds alternatives; "!X" in a list of addresses, nodes or devices excludes X. Empty: anything goes.
struct Expectation {
  std::string name;
  std::vector<EndPattern> from, to;

  std::vector<Outcome> outcomes;            // of the connection; empty, and no verdicts either: answered
  std::vector<Verdict> verdicts;            // of the request; empty: not asked
  std::vector<std::string> snat;            // source that the receiver sees: IP, CIDR, IP:PORT, or "none" (the sender's own)
  std::vector<std::string> dnat;            // destination that it sees, in the same forms
  std::vector<std::string> nodes, devices;  // where it leaves the cluster's nodes; else where it ends
  std::vector<std::string> contains;        // all of these are on the path: NAME, or node:, device:, stage:, table:, chain:,
  std::vector<std::string> avoids;          // rule: before it. None of these is.
  std::vector<Verdict> reply;               // verdicts of the answer; empty: not asked

  std::string proto;  // empty: that of the destination's "/tcp", else tcp
  std::optional<std::uint16_t> sport, dport;
  std::optional<std::uint8_t> ttl, dscp, icmp_type, icmp_code;
  std::optional<std::uint32_t> mark;
  std::string arrive_at, in_dev;
  std::optional<std::uint32_t> size;  // bytes of the IP packet
  bool dont_fragment = false;
  bool established = false, use_conntrack = true;

  std::uint32_t line = 0;  // in the file of expectations; 0: made from an object
  Provenance object;       // the object that it was made from
};

}  // namespace egt::expect
