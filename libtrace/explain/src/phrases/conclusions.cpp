#include "conclusions.h"

#include "egtrace/base/fill.h"
#include "phrase.h"

namespace egt::explain {
namespace {

constexpr Wording<Aspect> kAspects[] = {
    {Aspect::flows, "OpenFlow flows"},
    {Aspect::groups, "OpenFlow groups"},
    {Aspect::connections, "connection tracking"},
    {Aspect::rules, "netfilter rules"},
    {Aspect::routes, "policy rules and routes"},
    {Aspect::neighbours, "neighbours"},
    {Aspect::tunnels, "tunnel endpoints"},
};
static_assert(egt::is_complete(kAspects));

constexpr Phrase<Unchecked> kUnchecked[] = {
    {Unchecked::underlay, "underlay", "{0} packets between {1} and {2} on the network between them",
     "no dump shows all of what lies between the two nodes, nor what it does with packets of this size",
     "tcpdump -ni any {3} on {1} and {2}"},
    {Unchecked::listener, "listener", "whether a process listens on {0}", "no dump shows the sockets there",
     "ss -tulpn[ in {1}]"},
    {Unchecked::reply, "reply", "the reply", "--one-way walks the request only", "egtrace explain without --one-way"},
    {Unchecked::offload, "offload", "whether the network card of {0} forwards as the flows of Open vSwitch say",
     "other_config:hw-offload is on, and no dump shows what the card does", "ovs-appctl dpctl/dump-flows type=offloaded on {0}"},
    {Unchecked::security_groups, "security-groups", "the {0} between the nodes", "no dump shows them", "{1}"},
};
static_assert(is_complete(kUnchecked));

}  // namespace

const Cloud* cloud_of(std::string_view scheme) {
  static constexpr Cloud kClouds[] = {
      {"aws", "security groups and network ACLs of AWS", "aws ec2 describe-security-groups; aws ec2 describe-network-acls"},
      {"azure", "network security groups of Azure", "az network nsg list"},
      {"gce", "firewall rules of Google Cloud", "gcloud compute firewall-rules list"},
      {"openstack", "security groups of OpenStack", "openstack security group rule list; openstack port list --long"},
      {"ibm", "security groups of IBM Cloud", "ibmcloud is security-groups"},
      {"ibmpowervs", "security groups of IBM Cloud", "ibmcloud is security-groups"},
      {"alicloud", "security groups of Alibaba Cloud", "aliyun ecs DescribeSecurityGroups"},
  };
  for (const Cloud& cloud : kClouds)
    if (cloud.scheme == scheme) return &cloud;
  return nullptr;
}

std::string_view name_of(Aspect aspect) { return words_of(kAspects, aspect); }

NotChecked phrase(Unchecked unchecked, const Terms& about) {
  const Phrase<Unchecked>& phrase = kUnchecked[static_cast<std::size_t>(unchecked)];
  return {egt::fill(phrase.words, about), egt::fill(phrase.why, about), egt::fill(phrase.command, about)};
}

std::string next_at(const StopReport& at) {
  return egt::fill("egtrace explain -v: what nearly matched at {0}[ on {1}]", {at.where, if_any(at.node)});
}

}  // namespace egt::explain
