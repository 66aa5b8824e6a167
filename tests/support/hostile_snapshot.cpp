#include "support/hostile_snapshot.h"

#include <filesystem>

namespace egt::testing {

namespace fs = std::filesystem;

std::string hostile_snapshot(const TemporaryDirectory& home) {
  const std::string sample = EGTRACE_SOURCE_DIR "/samples/egressip-secondary";
  const fs::path dumps = fs::path(home.path()) / "dumps";
  fs::create_directory(dumps);
  for (const char* node : {"master-01-demo", "master-03-demo", "k8s"})
    fs::copy(sample + "/" + node, dumps / node, fs::copy_options::recursive);
  std::string pods;
  for (const char* name : {"</script><script>alert(1)</script>", "</style><img src=x onerror=alert(1)>", "\\u202egpj",
                           "\\\" onmouseover=alert(1) x=\\\"", "{{script}}", "'-alert(1)-'"})
    pods += "---\napiVersion: v1\nkind: Pod\nmetadata: {name: \"" + std::string(name) +
            "\", namespace: \"<b>\", labels: {a: \"&lt;\"}}\n" +
            "spec:\n  nodeName: master-03-demo\n  containers:\n  - env:\n    - name: A\n      value: hidden-canary\nstatus: "
            "{podIP: 10.133.0.9, podIPs: [{ip: 10.133.0.9}]}\n";
  home.file("dumps/k8s/hostile.yaml", pods);
  home.file("dumps/k8s/hostile_egressip.yaml",
            "apiVersion: k8s.ovn.org/v1\nkind: EgressIP\nmetadata: {name: \"</script><b>\"}\nspec: {egressIPs: [192.0.2.77], "
            "namespaceSelector: {}, podSelector: {}}\n"
            "status: {items: [{egressIP: 192.0.2.77, node: \"master-03-demo\"}]}\n");
  home.file(
      "dumps/k8s/hostile_node.yaml",
      "apiVersion: v1\nkind: Node\nmetadata: {name: \"</title></svg><script>alert(2)</script>\"}\nstatus: {addresses: []}\n");
  home.file("dumps/master-01-demo/odd.txt",
            "# ip rule\n0:\tfrom all lookup </script><script>alert(3)</script>\xe2\x80\xae\n\xff\xfe<!--\n");
  return dumps.string();
}

}  // namespace egt::testing
