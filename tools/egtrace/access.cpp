#include "access.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "command.h"
#include "egtrace/base/address_port.h"
#include "egtrace/base/text.h"

namespace egt::cli {
namespace {

constexpr std::size_t kShortestToken = 16, kLongestToken = 256;
constexpr std::string_view kCookie = "egtrace_token";

bool is_token_char(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' || c == '.' || c == '~';
}

// "a=1; egtrace_token=…"
std::string_view cookie_in(std::string_view header) {
  while (!header.empty()) {
    std::string_view value = trim(take_until(header, ';'));
    if (take_until(value, '=') == kCookie) return value;
  }
  return {};
}

std::string token_in_target(const HttpRequest& request) {
  const std::size_t question = request.target.find('?');
  if (question == std::string::npos) return {};
  const auto fields = form_fields(std::string_view(request.target).substr(question + 1));
  if (!fields) return {};
  const auto token = fields->find("token");
  return token == fields->end() ? std::string() : token->second;
}

}  // namespace

bool ListenAddress::is_loopback() const { return ip.is_loopback(); }

std::string ListenAddress::text() const {
  return ip.is_v4() ? fmt::format("{}:{}", ip.to_string(), port) : fmt::format("[{}]:{}", ip.to_string(), port);
}

std::optional<ListenAddress> parse_listen_address(std::string_view text) {
  const std::string local =
      "127.0.0.1" + std::string(text.substr(text.find(':') == std::string_view::npos ? text.size() : text.find(':')));
  if (text.starts_with("localhost:")) text = local;
  const auto both = parse_address_port(text);
  if (!both) return std::nullopt;
  return ListenAddress{both->first, both->second};
}

// An address in place of a name cannot be made to mean another host.
bool Access::is_own_name(std::string_view host) const {
  const std::string port = fmt::format(":{}", at_.port);
  if (at_.port != 80 || host.ends_with(port)) {
    if (!host.ends_with(port)) return false;
    host.remove_suffix(port.size());
  }
  if (lower(host) == "localhost") return true;
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  const auto ip = IpAddr::parse(host);
  return ip && (!at_.is_loopback() || ip->is_loopback());
}

bool Access::has_token(const HttpRequest& request) const {
  const std::string authorization = request.header("authorization");
  std::string_view bearer = authorization;
  if (consume(bearer, "Bearer ") && are_equal(bearer, token_)) return true;
  return are_equal(cookie_in(request.header("cookie")), token_);
}

std::optional<HttpResponse> Access::refuse(const HttpRequest& request) const {
  const std::string host = request.header("host"), origin = request.header("origin"), site = request.header("sec-fetch-site");
  if (!is_own_name(host)) return refusal(421, "this server does not have the name that the request gives (Host)");
  if (!origin.empty() && origin != "http://" + host) return refusal(403, "a page from elsewhere asks (Origin)");
  if (request.method == "POST" && !site.empty() && site != "same-origin" && site != "none")
    return refusal(403, "a page from elsewhere asks (Sec-Fetch-Site)");
  if (token_.empty() || has_token(request)) return std::nullopt;
  const bool is_get = request.method == "GET" || request.method == "HEAD";
  if (!is_get || !are_equal(token_in_target(request), token_)) {
    HttpResponse response = refusal(
        401, "the token is missing or wrong: open the address that `egtrace serve` printed, or send Authorization: Bearer TOKEN");
    response.headers.emplace_back("WWW-Authenticate", "Bearer");
    return response;
  }
  HttpResponse response;
  response.status = 303;
  response.headers = {{"Location", "/"},
                      {"Set-Cookie", fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict", kCookie, token_)}};
  return response;
}

bool are_equal(std::string_view a, std::string_view b) {
  unsigned different = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < b.size(); ++i) different |= static_cast<unsigned char>(i < a.size() ? a[i] ^ b[i] : 0xff);
  return different == 0;
}

std::string new_token() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw CommandError("no random numbers for a token; give one by --token-file");
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

std::string token_of_file(const std::string& path) {
  std::ifstream file(path);
  std::string token;
  if (!file || !std::getline(file, token))
    throw CommandError(path + ": cannot be read; --token-file names a file whose first line is the token");
  token = std::string(trim(token));
  if (token.size() < kShortestToken || token.size() > kLongestToken || !std::all_of(token.begin(), token.end(), is_token_char))
    throw CommandError(path + ": the token is 16 to 256 letters, digits, '-', '_', '.' or '~'");
  return token;
}

}  // namespace egt::cli
