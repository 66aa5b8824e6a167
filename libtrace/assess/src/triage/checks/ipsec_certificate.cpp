// A CertificateSigningRequest of the pods that set up IPsec for OVN without a certificate: denied, failed, not approved or not signed.
#include "triage/checks.h"

namespace egt::assess {
namespace ipsec_certificate {

void run(const Facts& f, Findings& out) {
  for (const cluster::NetworkObject& object : f.cluster.objects.network_objects)
    for (const auto& [fact, value] : object.facts)
      if (fact == "no certificate")
        out.add(Claim::ipsec_certificate_missing, "", object.kind + " " + object.name, {value, object.name}, {object.from});
}

}  // namespace ipsec_certificate

const Check kIpsecCertificate{"ipsec-certificate", Severity::error, always, ipsec_certificate::run};

}  // namespace egt::assess
