// Outputs, groups, and what chooses a port.
#include <fmt/format.h>

#include "action_generator.h"

namespace egt::testing {
namespace {

const char* const kHashFields[] = {"eth_src", "symmetric_l4", "symmetric_l3l4", "symmetric_l3l4+udp",
                                   "nw_src",  "nw_dst",       "symmetric_l3"};

}  // namespace

using namespace kind;

std::string ActionWriter::port(bool by_name) {
  static const char* const kInt[] = {"10", "10", "1", "2", "3", "4", "LOCAL", "99", "5", "6", "7"};
  static const char* const kIntNames[] = {"p1", "p2", "\"9eth\"", "\"p-4.x\"", "\"patch-int\""};
  static const char* const kEx[] = {"11", "1", "2", "3", "LOCAL", "99"};
  static const char* const kLeaf[] = {"1", "2", "LOCAL", "99"};
  if (place_.bridge == "br-ex") return dice_.of(kEx);
  if (place_.bridge == "br-b") return dice_.of(kLeaf);
  return by_name && dice_.one_in(6) ? dice_.of(kIntNames) : dice_.of(kInt);
}

std::string ActionWriter::output() {
  const std::string to = port();
  return to[0] >= '0' && to[0] <= '9' && dice_.one_in(8) ? to : "output:" + to;
}

std::string ActionWriter::reserved() {
  static const char* const kReserved[] = {"IN_PORT", "FLOOD", "ALL", "NORMAL", "NORMAL", "LOCAL", "CONTROLLER"};
  return kReserved[dice_.between(leads_back() ? 3 : 0, 6)];
}

std::string ActionWriter::truncated() {
  if (dice_.one_in(6)) {
    static const char* const kOthers[] = {"LOCAL", "IN_PORT", "10"};
    return fmt::format("output(port={},max_len=100)", leads_back() ? "LOCAL" : dice_.of(kOthers));
  }
  return fmt::format("output(port={},max_len={})", port(), dice_.between(14, 1500));
}

std::string ActionWriter::output_field() {
  if (dice_.one_in(3)) return "output:NXM_NX_REG15[]";
  if (dice_.one_in(2)) return "output:NXM_NX_REG0[0..15]";
  const FieldSpec* f = field_where(false);
  if (f == nullptr || leads_back()) return "";
  const unsigned bits = dice_.between(1, std::min(f->bits, 32u));
  return "output:" + subfield(*f, dice_.below(f->bits - bits + 1), bits);
}

std::string ActionWriter::enqueue() {
  return dice_.one_in(3) ? fmt::format("enqueue({},{})", port(false), dice_.below(3))
                         : fmt::format("enqueue:{}:{}", port(false), dice_.below(3));
}

std::string ActionWriter::group() {
  return place_.in_group ? output() : fmt::format("group:{}", dice_.between(1, kGeneratedGroups));
}

std::string ActionWriter::bundle() {
  static const char* const kMembers[] = {"members:1,2,3",   "members:",     "members:2",
                                         "members:4,LOCAL", "members:99,1", "members:5,1"};
  const std::string how =
      fmt::format("{},{},{},ofport", dice_.of(kHashFields), dice_.below(3) * 50, dice_.one_in(2) ? "hrw" : "active_backup");
  if (dice_.one_in(2)) return fmt::format("bundle({},{})", how, dice_.of(kMembers));
  const char* const to = dice_.one_in(2) ? "NXM_NX_REG1[]" : "NXM_NX_REG0[0..15]";
  return fmt::format("bundle_load({},{},{})", how, to, dice_.of(kMembers));
}

std::string ActionWriter::multipath() {
  static const char* const kWays[] = {"modulo_n", "hash_threshold", "hrw", "iter_hash"};
  static const char* const kTo[] = {"NXM_NX_REG0[0..3]", "NXM_NX_REG15[]", "NXM_NX_XXREG1[64..95]", "OXM_OF_METADATA[8..15]"};
  return fmt::format("multipath({},{},{},{},{},{})", dice_.of(kHashFields), dice_.below(3) * 50, dice_.of(kWays),
                     dice_.between(1, 7), dice_.below(3), dice_.of(kTo));
}

std::string ActionWriter::controller() {
  static const char* const kForms[] = {
      "controller",
      "CONTROLLER:128",
      "controller:100",
      "controller(max_len=128)",
      "controller(reason=no_match,max_len=65535,id=1)",
      "controller(reason=action)",
      "controller(reason=invalid_ttl,id=65535)",
      "controller(reason=action_set,max_len=0)",
      "controller(reason=group)",
      "controller(reason=packet_out)",
      "controller(id=3)",
      "controller(userdata=00.00.00.01.00.00.00.00)",
      "controller(pause)",
      "controller(reason=invalid_ttl,pause,userdata=01)",
      "controller(userdata=00.01,meter_id=1)",
      "controller(meter_id=1)",
  };
  return dice_.of(kForms);
}

std::string ActionWriter::sample() {
  static const char* const kForms[] = {
      "sample(probability=100,collector_set_id=1,obs_domain_id=2,obs_point_id=3)", "sample(probability=65535,collector_set_id=7)",
      "sample(probability=1,collector_set_id=1,obs_domain_id=0,obs_point_id=0,sampling_port=1)",
      "sample(probability=9,collector_set_id=1,obs_domain_id=2,obs_point_id=3,sampling_port=2,ingress)",
      "sample(probability=9,collector_set_id=1,obs_domain_id=2,obs_point_id=3,sampling_port=2,egress)"};
  return dice_.of(kForms);
}

}  // namespace egt::testing
