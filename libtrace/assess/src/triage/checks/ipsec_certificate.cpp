// A CertificateSigningRequest of the pods that set up IPsec for OVN without a certificate: denied, failed, not approved or not signed; and a
// certificate of the IKE daemon that was not valid when it was listed.
#include <algorithm>

#include "egtrace/base/moment.h"
#include "triage/checks.h"

namespace egt::assess {
namespace ipsec_certificate {

using host::IpsecCertificate;

void requests(const Facts& f, Findings& out) {
  for (const cluster::NetworkObject& object : f.cluster.objects.network_objects)
    for (const auto& [fact, value] : object.facts)
      if (fact == "no certificate")
        out.add(Claim::ipsec_certificate_missing, "", object.kind + " " + object.name, {value, object.name}, {object.from});
}

// As ovs-monitor-ipsec(8) names them: ovs_cert_ and ovs_certkey_.
bool is_of_tunnels(const IpsecCertificate& c) { return c.name.starts_with("ovs_cert") && c.not_before != 0 && c.not_after != 0; }

// Nothing where no archive shows when the dump was made.
std::int64_t time_of(const cluster::Cluster& cluster, SourceId source) {
  const auto dump =
      std::find_if(cluster.dumps.begin(), cluster.dumps.end(), [&](const cluster::DumpInfo& d) { return d.source == source; });
  return dump == cluster.dumps.end() ? 0 : dump->time;
}

bool is_valid(const IpsecCertificate& c, std::int64_t at) { return c.not_before <= at && at <= c.not_after; }

void certificates(const Facts& f, const cluster::Node& node, Findings& out) {
  const auto& all = node.host.ipsec_certificates;
  const std::int64_t at = all.empty() ? 0 : time_of(f.cluster, all.front().from.source);
  for (const IpsecCertificate& c : all) {
    if (!is_of_tunnels(c)) continue;
    if (at == 0) return out.lacks(Lack::time_of_certificates, {node.name});
    // One that was renewed may be there beside the new one.
    if (std::any_of(all.begin(), all.end(), [&](const IpsecCertificate& o) { return o.name == c.name && is_valid(o, at); }))
      continue;
    const bool expired = c.not_after < at;
    out.add(expired ? Claim::ipsec_certificate_expired : Claim::ipsec_certificate_too_early, node.name, "",
            {c.name, utc_text((expired ? c.not_after : c.not_before) * 1000), utc_text(at * 1000)}, {c.from});
  }
}

void run(const Facts& f, Findings& out) {
  requests(f, out);
  for (const auto& node : f.cluster.nodes) certificates(f, *node, out);
}

}  // namespace ipsec_certificate

const Check kIpsecCertificate{"ipsec-certificate", Severity::error, always, ipsec_certificate::run};

}  // namespace egt::assess
