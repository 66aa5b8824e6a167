// `egtrace serve`: what it answers, whom it refuses, how it ends.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/background.h"
#include "support/run.h"

namespace serve_test {
namespace {

using egt::testing::Ran;
using egt::testing::run;
using egt::testing::TemporaryDirectory;

// One node and two pods, one of whose names is an attack: its report is made in a moment.
const std::string& small_snapshot() {
  static const TemporaryDirectory& d = []() -> const TemporaryDirectory& {
    static const TemporaryDirectory made;
    made.file("w1/ip_rule", "0:\tfrom all lookup local\n");
    made.file("k8s/pods.yaml",
              "apiVersion: v1\nkind: Pod\nmetadata: {name: cart-1, namespace: shop}\nspec: {nodeName: w1}\nstatus: {podIP: "
              "10.1.1.1}\n---\n"
              "apiVersion: v1\nkind: Pod\nmetadata: {name: \"a\\\"><script>alert(1)</script>\", namespace: shop}\nspec: "
              "{nodeName: w1}\nstatus: {podIP: 10.1.1.2}\n");
    return made;
  }();
  return d.path();
}

// A server, until its end.
class Server {
 public:
  explicit Server(std::vector<std::string> more, const std::string& directory = small_snapshot())
      : program_(words(std::move(more)), directory) {
    const std::size_t colon = url().find(':', 7);
    if (colon != std::string::npos) port_ = static_cast<std::uint16_t>(std::atoi(url().c_str() + colon + 1));
  }
  int end(int signal) { return program_.end(signal); }
  const std::string& url() const { return program_.first_line(); }
  std::string host() const { return "127.0.0.1:" + std::to_string(port_); }
  int connect() const {
    const int s = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(port_);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(0, ::connect(s, reinterpret_cast<sockaddr*>(&at), sizeof at));
    return s;
  }
  // All that comes back.
  std::string send(const std::string& bytes) const {
    const int s = connect();
    [[maybe_unused]] const auto sent = ::send(s, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    std::string back;
    char some[65536];
    for (ssize_t n = 0; (n = ::recv(s, some, sizeof some, 0)) > 0;) back.append(some, static_cast<std::size_t>(n));
    ::close(s);
    return back;
  }
  std::string get(const std::string& target, const std::string& headers = "", const std::string& method = "GET") const {
    return send(method + " " + target + " HTTP/1.1\r\nHost: " + host() + "\r\n" + headers + "\r\n");
  }
  std::string ask(const std::string& form, const std::string& headers = "") const {
    return send("POST /explain HTTP/1.1\r\nHost: " + host() +
                "\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: " + std::to_string(form.size()) + "\r\n" +
                headers + "\r\n" + form);
  }

 private:
  static std::vector<std::string> words(std::vector<std::string> more) {
    more.insert(more.begin(), {EGTRACE_BINARY, "serve", ".", "--paths", "1", "-q"});
    return more;
  }
  egt::testing::BackgroundProgram program_;
  std::uint16_t port_ = 0;
};

int status_of(const std::string& response) { return response.starts_with("HTTP/1.1 ") ? std::atoi(response.c_str() + 9) : 0; }
std::string body_of(const std::string& response) {
  const std::size_t at = response.find("\r\n\r\n");
  return at == std::string::npos ? std::string() : response.substr(at + 4);
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

const std::vector<std::string> kAnyPort = {"--listen", "127.0.0.1:0"};
constexpr const char* kQuestion = "from=shop%2Fcart-1&to=192.0.2.1%3A80";

TEST(Serve, ShowsThePageAndAnswersAsExplainDoes) {
  Server server({"--listen", "127.0.0.1:0", "--namespace", "demo-egress"}, EGTRACE_SOURCE_DIR "/samples/egressip-secondary");
  const std::string page = server.get("/");
  EXPECT_EQ(200, status_of(page));
  EXPECT_TRUE(has(page, "<form class=\"question\" method=\"post\" action=\"/explain\">"));
  EXPECT_TRUE(has(page, "form-action 'self'"));
  EXPECT_TRUE(has(page, "<option value=\"demo-egress/requester-3a\">"));
  EXPECT_TRUE(has(page, "id=\"findings\""));
  EXPECT_TRUE(body_of(server.get("/", "", "HEAD")).empty());
  const std::string sample = EGTRACE_SOURCE_DIR "/samples/egressip-secondary";
  for (const char* format : {"json", "html"}) {
    const std::string answer = server.ask("from=demo-egress%2Frequester-3a&to=192.168.55.13%3A80&format=" + std::string(format));
    EXPECT_EQ(200, status_of(answer)) << answer;
    const Ran ran = run({EGTRACE_BINARY, "explain", sample, "--from", "demo-egress/requester-3a", "--to", "192.168.55.13:80",
                         "--format", format});
    EXPECT_EQ(ran.out, body_of(answer)) << format;
  }
  EXPECT_TRUE(
      has(server.ask("from=requester-3a&namespace=demo-egress&to=192.168.55.13&proto=icmp&format=json"), "\"proto\": \"icmp\""));
  EXPECT_EQ(0, server.end(SIGTERM));
}

TEST(Serve, SaysWhatIsWrongWithAQuestion) {
  Server server(kAnyPort);
  EXPECT_TRUE(has(server.ask("from=shop%2Fcart-2&to=192.168.55.13"), "shop/cart-1"));
  for (const char* form : {"", "from=a", "from=a%2&to=b", "from=a&from=b&to=c", "from=a/b&to=10.0.0.1&format=svg",
                           "from=x%1b%5b31m&to=10.0.0.1", "from=a/b&to=10.0.0.1&proto=frob"}) {
    const std::string answer = server.ask(form);
    EXPECT_EQ(400, status_of(answer)) << form << answer;
    EXPECT_TRUE(has(answer, "Content-Type: text/plain"));
  }
  EXPECT_EQ(400, status_of(server.ask("to=b&from=" + std::string(400, 'a'))));
  EXPECT_EQ(0, server.end(SIGINT));
}

TEST(Serve, TakesNoOtherRequests) {
  Server server(kAnyPort);
  for (const char* path :
       {"/etc/passwd", "/../../etc/passwd", "/%2e%2e/master-01-demo/ip_rule", "/master-01-demo/ip_rule", "//", "/explain/x"})
    EXPECT_EQ(404, status_of(server.get(path))) << path;
  for (const char* method : {"PUT", "DELETE", "OPTIONS", "TRACE", "POST"})
    EXPECT_EQ(405, status_of(server.get("/", "", method))) << method;
  EXPECT_EQ(405, status_of(server.get("/explain")));
  EXPECT_EQ(415, status_of(server.send("POST /explain HTTP/1.1\r\nHost: " + server.host() +
                                       "\r\nContent-Type: text/plain\r\nContent-Length: 1\r\n\r\nx")));
  EXPECT_EQ(400, status_of(server.send("frobnicate\r\n\r\n")));
  EXPECT_EQ(400, status_of(server.send("\x16\x03\x01\x02\r\n\r\n")));  // TLS
  EXPECT_EQ(413, status_of(server.ask(std::string(20000, 'a'))));
  EXPECT_EQ(413, status_of(server.send("POST /explain HTTP/1.1\r\nHost: " + server.host() +
                                       "\r\nContent-Length: 99999999999\r\n\r\n")));
  EXPECT_EQ(431, status_of(server.get("/", "X: " + std::string(20000, 'a') + "\r\n")));
  EXPECT_EQ(431, status_of(server.send(std::string(20000, 'a'))));
  EXPECT_EQ(200, status_of(server.get("/")));
}

TEST(Serve, RefusesOtherNamesAndPagesFromElsewhere) {
  Server server(kAnyPort);
  const std::string port = server.host().substr(server.host().find(':'));
  for (const std::string& host : {std::string("evil.example"), "evil.example" + port, std::string("127.0.0.1"),
                                  "192.0.2.1" + port, "127.0.0.1" + port + "0", std::string()})
    EXPECT_EQ(421, status_of(server.send("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n"))) << host;
  EXPECT_EQ(421, status_of(server.send("GET / HTTP/1.0\r\n\r\n")));
  for (const std::string& host : {"localhost" + port, "LocalHost" + port, "[::1]" + port})
    EXPECT_EQ(200, status_of(server.send("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n"))) << host;
  EXPECT_EQ(403, status_of(server.ask(kQuestion, "Origin: http://evil.example\r\n")));
  EXPECT_EQ(403, status_of(server.ask(kQuestion, "Origin: null\r\n")));
  EXPECT_EQ(403, status_of(server.ask(kQuestion, "Sec-Fetch-Site: cross-site\r\n")));
  EXPECT_EQ(200, status_of(server.ask(kQuestion, "Origin: http://" + server.host() + "\r\nSec-Fetch-Site: same-origin\r\n")));
}

TEST(Serve, DemandsATokenWhereOthersCanReachIt) {
  Server server({"--listen", "0.0.0.0:0"});
  const std::size_t at = server.url().find("?token=");
  ASSERT_NE(std::string::npos, at) << server.url();
  const std::string token = server.url().substr(at + 7);
  EXPECT_EQ(32u, token.size());
  EXPECT_EQ(401, status_of(server.get("/")));
  EXPECT_EQ(401, status_of(server.ask(kQuestion)));
  EXPECT_EQ(401, status_of(server.get("/", "Authorization: Bearer " + token.substr(1) + "\r\n")));
  EXPECT_EQ(401, status_of(server.get("/?token=" + token + "0")));
  const std::string moved = server.get("/?token=" + token);
  EXPECT_EQ(303, status_of(moved));
  EXPECT_TRUE(has(moved, "Set-Cookie: egtrace_token=" + token + "; Path=/; HttpOnly; SameSite=Strict\r\n"));
  EXPECT_EQ(200, status_of(server.get("/", "Cookie: a=b; egtrace_token=" + token + "\r\n")));
  EXPECT_EQ(200, status_of(server.ask(kQuestion, "Authorization: Bearer " + token + "\r\n")));
}

TEST(Serve, TakesTheTokenOfAFile) {
  const TemporaryDirectory d;
  const std::string file = d.file("token", "correct-horse-battery\n");
  Server server({"--listen", "127.0.0.1:0", "--token-file", file});
  EXPECT_EQ(std::string::npos, server.url().find("horse"));
  EXPECT_EQ(401, status_of(server.get("/")));
  EXPECT_EQ(200, status_of(server.get("/", "Authorization: Bearer correct-horse-battery\r\n")));
}

TEST(Serve, RefusesWhatCannotBe) {
  const TemporaryDirectory d;
  const std::string sample = EGTRACE_SOURCE_DIR "/samples/egressip-secondary";
  for (const std::vector<std::string>& more :
       std::vector<std::vector<std::string>>{{"--listen", "example.com:80"},
                                             {"--listen", "127.0.0.1"},
                                             {"--listen", "192.0.2.1:0"},
                                             {"--listen", "127.0.0.1:0", "--token-file", d.path() + "/none"},
                                             {"--listen", "127.0.0.1:0", "--token-file", d.file("short", "abc\n")}}) {
    std::vector<std::string> words = {EGTRACE_BINARY, "serve", sample};
    words.insert(words.end(), more.begin(), more.end());
    const Ran ran = run(words);
    EXPECT_EQ(2, ran.status) << more[1];
    EXPECT_TRUE(ran.out.empty());
  }
}

// Others are served while some say nothing, or leave.
TEST(Serve, IsNotHeldUp) {
  Server server(kAnyPort);
  std::vector<int> silent;
  for (int i = 0; i < 20; ++i) silent.push_back(server.connect());
  for (int i = 0; i < 10; ++i) {
    [[maybe_unused]] const auto sent = ::send(silent[static_cast<std::size_t>(i)], "GET / HT", 8, MSG_NOSIGNAL);
  }
  EXPECT_EQ(200, status_of(server.get("/")));
  for (const int s : silent) ::close(s);
  EXPECT_EQ(200, status_of(server.ask(kQuestion)));
  EXPECT_EQ(0, server.end(SIGTERM));
}

// What objects are called comes from the snapshot.
TEST(Serve, EscapesNames) {
  Server server(kAnyPort);
  EXPECT_FALSE(has(server.get("/"), "<script>alert"));
  const std::string answer = server.ask("from=shop/cart-1&to=%3Cscript%3Ealert(2)%3C/script%3E");
  EXPECT_EQ(400, status_of(answer));
  EXPECT_TRUE(has(answer, "Content-Type: text/plain") && has(answer, "nosniff"));
}

}  // namespace
}  // namespace serve_test
