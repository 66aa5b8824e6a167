// What is masked, and that nothing else is.
#include "egtrace/parsers/secrets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "ovsdb/log_file.h"

namespace egt::parsers {
namespace {

std::string masked_text(const std::string& text) { return mask_secrets(text).value_or(text); }

std::size_t count_newlines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(Secrets, PasswordsOfFrr) {
  EXPECT_EQ(" neighbor 10.0.0.1 password (masked)\n", masked_text(" neighbor 10.0.0.1 password canary\n"));
  EXPECT_EQ("password 8 (masked)\nenable password (masked)\n", masked_text("password 8 canary\nenable password canary dry\n"));
  EXPECT_EQ("  key-string (masked)\n", masked_text("  key-string canary\n"));
  EXPECT_EQ(" ip ospf message-digest-key 1 md5 (masked)\n", masked_text(" ip ospf message-digest-key 1 md5 canary\n"));
  EXPECT_EQ(" ip ospf authentication-key (masked)\n", masked_text(" ip ospf authentication-key canary\n"));
  EXPECT_EQ(" ip rip authentication string (masked)\n", masked_text(" ip rip authentication string canary\n"));
  EXPECT_EQ(" ip nhrp authentication (masked)\n", masked_text(" ip nhrp authentication canary\n"));
  EXPECT_EQ(" area-password md5 (masked)\n isis password clear (masked)\n",
            masked_text(" area-password md5 canary\n isis password clear canary\n"));
  EXPECT_EQ("username root password (masked)\n", masked_text("username root password canary\n"));
  for (const char* plain : {" ip ospf authentication message-digest\n", " no neighbor 10.0.0.1 password\n",
                            " neighbor 10.0.0.1 remote-as 64512\n", "service password-encryption\n"})
    EXPECT_FALSE(mask_secrets(plain)) << plain;
}

TEST(Secrets, KeysOfKernelAndTunnels) {
  EXPECT_EQ("net.ipv4.tcp_fastopen_key = (masked)\nnet.ipv4.ip_forward = 1\n",
            masked_text("net.ipv4.tcp_fastopen_key = 1234-canary\nnet.ipv4.ip_forward = 1\n"));
  EXPECT_EQ("options : {psk=\"(masked)\", remote_ip=\"10.0.0.2\"}\n",
            masked_text("options : {psk=\"canary\", remote_ip=\"10.0.0.2\"}\n"));
  EXPECT_EQ("options: {psk=(masked), key=flow}\n", masked_text("options: {psk=canary, key=flow}\n"));
}

TEST(Secrets, PrivateKeys) {
  const std::string text = "a\n-----BEGIN RSA PRIVATE KEY-----\ncanary\ncanary\n-----END RSA PRIVATE KEY-----\nb\n";
  EXPECT_EQ("a\n-----BEGIN RSA PRIVATE KEY-----(masked)\n\n\n-----END RSA PRIVATE KEY-----\nb\n", masked_text(text));
  EXPECT_EQ(std::string::npos, masked_text("-----BEGIN PRIVATE KEY-----\ncanary").find("canary"));  // cut
  EXPECT_FALSE(mask_secrets("-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"));
}

TEST(Secrets, Kubeconfigs) {
  EXPECT_EQ("- name: me\n  user:\n    client-key-data: (masked)\n    token: (masked)\n",
            masked_text("- name: me\n  user:\n    client-key-data: canary\n    token: canary\n"));
  EXPECT_EQ("  \"token\": \"(masked)\",\n", masked_text("  \"token\": \"canary\",\n"));
}

constexpr const char* kSecretInYaml =
    "apiVersion: v1\nitems:\n- apiVersion: v1\n  data:\n    tls.crt: canary\n    tls.key: |\n      canary\n      canary\n  kind: "
    "Secret\n"
    "  metadata:\n    annotations:\n      kubectl.kubernetes.io/last-applied-configuration: |\n        "
    "{\"kind\":\"Secret\",\"data\":{\"a\":\"canary\"}}\n"
    "    name: tls\n  stringData: {a: canary}\n- apiVersion: v1\n  data:\n    shown: yes\n  kind: ConfigMap\n  metadata:\n    "
    "name: open\nkind: List\n";

TEST(Secrets, SecretsInYaml) {
  const std::string text = masked_text(kSecretInYaml);
  EXPECT_EQ(std::string::npos, text.find("canary")) << text;
  EXPECT_NE(std::string::npos, text.find("    tls.crt: (masked)\n    tls.key: (masked)\n\n\n  kind: Secret\n")) << text;
  EXPECT_NE(std::string::npos, text.find("    name: tls\n  stringData: (masked)\n")) << text;
  EXPECT_NE(std::string::npos, text.find("    shown: yes\n")) << text;
  EXPECT_EQ(count_newlines(kSecretInYaml), count_newlines(text));
  EXPECT_EQ(std::string::npos, masked_text("{apiVersion: v1, kind: Secret, data: {a: canary}}\n").find("canary"));
  EXPECT_EQ(std::string::npos, masked_text("kind: 'Secret'\ndata:\n  a: \"canary\n  canary\"\n").find("canary"));
}

TEST(Secrets, SecretsInJson) {
  const std::string open = R"({"kind": "ConfigMap", "data": {"a": "shown"}})";
  const std::string of_open = R"({"kind": "List", "items": [)" + open + R"(], "x": "Secret"})";
  EXPECT_FALSE(mask_secrets(of_open));
  const std::string hidden = R"j({"data": {"a": "(masked)", "b": "(masked)"}, "kind": "Secret"})j";
  EXPECT_EQ(hidden, masked_text(R"({"data": {"a": "canary", "b": "c\"anary"}, "kind": "Secret"})"));
  const std::string list = R"({"items": [{"kind": "Secret", "stringData": {"a": "canary"}, "metadata": {"annotations":
      {"kubectl.kubernetes.io/last-applied-configuration": "{\"kind\":\"Secret\",\"data\":{\"a\":\"canary\"}}"}}}, )" +
                           open + "]}";
  const std::string text = masked_text(list);
  EXPECT_EQ(std::string::npos, text.find("canary")) << text;
  EXPECT_NE(std::string::npos, text.find("shown")) << text;
  const std::string cut = R"({"apiVersion": "v1", "metadata": {"name": "Secret"}, "data": {"a": "canary)";
  EXPECT_EQ(std::string::npos, masked_text(cut).find("canary"));
}

TEST(Secrets, ItemsOfASecretListNameNoKind) {
  EXPECT_EQ(
      "apiVersion: v1\nitems:\n- data:\n    a: (masked)\n  metadata:\n    name: s\nkind: SecretList\n---\ndata:\n  a: "
      "shown\nkind: ConfigMap\n",
      masked_text("apiVersion: v1\nitems:\n- data:\n    a: canary\n  metadata:\n    name: s\nkind: SecretList\n---\ndata:\n  a: "
                  "shown\nkind: ConfigMap\n"));
  EXPECT_EQ(R"j({"items": [{"data": {"a": "(masked)"}}, {"data": {"a": "(masked)"}}], "kind": "SecretList"})j",
            masked_text(R"({"items": [{"data": {"a": "canary"}}, {"data": {"a": "canary"}}], "kind": "SecretList"})"));
  EXPECT_FALSE(mask_secrets(R"({"items": [{"data": {"a": "shown"}}], "kind": "ConfigMapList", "about": "SecretList"})"));
}

TEST(Secrets, UsersOfKubeconfigs) {
  EXPECT_EQ(
      "clusters: []\nkind: Config\nusers:(masked)\n\n\n\n\npreferences: {}\n",
      masked_text("clusters: []\nkind: Config\nusers:\n- name: me\n  user:\n    exec:\n      env: [canary]\npreferences: {}\n"));
  EXPECT_EQ(R"j({"kind": "Config", "users": [{"user": {"exec": "(masked)"}}]})j",
            masked_text(R"j({"kind": "Config", "users": [{"user": {"exec": "canary"}}]})j"));
}

TEST(Secrets, HashesOfPasswords) {
  EXPECT_EQ("root:(masked):19000:0:99999:7:::\n", masked_text("root:$6$salt$canary:19000:0:99999:7:::\n"));
  EXPECT_FALSE(mask_secrets("a token:$(date)\n"));
}

// The keys of tunnels in a database file, whose records vouch for themselves.
TEST(Secrets, Databases) {
  const std::string body = R"({"Interface":{"i":{"options":["map",[["psk","can\"ary"],["remote_ip","10.0.0.2"]]]}}})"
                           "\n";
  const auto record = [](const std::string& json) {
    return "OVSDB JSON " + std::to_string(json.size()) + " " + ovsdb::sha1(json) + "\n" + json;
  };
  const std::string schema = record("{\"name\":\"Open_vSwitch\"}\n");
  const std::string hidden = masked_text(schema + record(body) + "OVSDB JSON 9999 cut \"psk\",\"canary");
  EXPECT_EQ(schema +
                record(R"j({"Interface":{"i":{"options":["map",[["psk","(masked)"],["remote_ip","10.0.0.2"]]]}}})j"
                       "\n") +
                "OVSDB JSON 9999 cut \"psk\",\"(masked)",
            hidden);
  EXPECT_EQ(2U, ovsdb::read_log_file(hidden).records.size());
  EXPECT_FALSE(mask_secrets(schema));
  EXPECT_EQ(R"j({"options": {"psk": "(masked)"}})j", masked_text(R"j({"options": {"psk": "canary"}})j"));  // ovsdb-client
}

TEST(Secrets, EnvironmentInFlowStyle) {
  EXPECT_EQ(
      "spec:\n  env:\n  - {name: A, value: (masked)}\n  - {name: B, value: (masked), x: y}\n  httpHeaders:\n  - name: "
      "Authorization\n    value: (masked)\n",
      mask_environment("spec:\n  env:\n  - {name: A, value: canary}\n  - {name: B, value: \"ca}nary\", x: y}\n  httpHeaders:\n"
                       "  - name: Authorization\n    value: canary\n"));
}

TEST(Secrets, EnvironmentOfPods) {
  const std::string yaml =
      "kind: Pod\nspec:\n  containers:\n  - args:\n    - --password=canary\n    env:\n    - name: A\n      value: canary\n    - "
      "name: B\n"
      "      valueFrom:\n        secretKeyRef: {name: s, key: k}\n    - name: C\n      value: |\n        canary\n        "
      "canary\n    image: shown\n"
      "  tolerations:\n  - key: k\n    value: shown\n";
  const std::string text = mask_environment(yaml).value();
  EXPECT_EQ(std::string::npos, text.find("canary")) << text;
  EXPECT_NE(std::string::npos, text.find("    image: shown\n  tolerations:\n  - key: k\n    value: shown\n")) << text;
  EXPECT_EQ(count_newlines(yaml), count_newlines(text));
  const std::string json = R"({"env": [{"name": "A", "value": "canary"}], "value": "shown"})";
  const std::string hidden = R"j({"env": [{"name": "A", "value": "(masked)"}], "value": "shown"})j";
  EXPECT_EQ(hidden, mask_environment(json));
}

TEST(Secrets, CutAndGarbledTextsAreNoHarm) {
  const std::string whole = std::string(kSecretInYaml) + R"({"kind": "Secret", "data": {"a": "canary"}})";
  for (std::size_t n = 0; n < whole.size(); ++n) {
    mask_secrets(whole.substr(0, n));
    mask_secrets("{" + whole.substr(n));
    mask_environment("env" + whole.substr(n));
  }
}

}  // namespace
}  // namespace egt::parsers
