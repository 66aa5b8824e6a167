#include "http_message.h"

#include <fmt/format.h>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/fields.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/beast/http/string_body.hpp>

#include "egtrace/base/text.h"

namespace egt::cli {
namespace {

namespace http = boost::beast::http;

constexpr std::uint32_t kMostHeader = 16 << 10, kMostBody = 16 << 10;

std::optional<std::string> decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i] == '+' ? ' ' : text[i];
      continue;
    }
    const auto byte = i + 2 < text.size() && is_hex_digit(text[i + 1]) && is_hex_digit(text[i + 2])
                          ? parse_hex(text.substr(i + 1, 2))
                          : std::nullopt;
    if (!byte) return std::nullopt;
    out += static_cast<char>(*byte);
    i += 2;
  }
  return out;
}

HttpResponse why_not(const boost::beast::error_code& failed) {
  if (failed == http::error::header_limit) return refusal(431, "the header of the request is longer than 16 kB");
  if (failed == http::error::body_limit) return refusal(413, "the body of the request is longer than 16 kB");
  return refusal(400, "this is no request of HTTP/1.1");
}

}  // namespace

std::string HttpRequest::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? std::string() : found->second;
}

std::string HttpRequest::path() const { return target.substr(0, target.find('?')); }

HttpResponse refusal(unsigned status, std::string_view why) {
  HttpResponse response;
  response.status = status;
  response.body = fmt::format("egtrace: {}\n", why);
  return response;
}

std::string bytes_of(const HttpResponse& r, bool with_body) {
  const bool is_page = r.type.starts_with("text/html");  // which has a policy of its own as well
  std::string out =
      fmt::format("HTTP/1.1 {} {}\r\n", r.status, std::string(http::obsolete_reason(http::int_to_status(r.status))));
  out += fmt::format("Content-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\nCache-Control: no-store\r\n", r.type,
                     r.body.size());
  out += fmt::format("Content-Security-Policy: {}frame-ancestors 'none'\r\n", is_page ? "" : "default-src 'none'; ");
  out +=
      "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\nReferrer-Policy: same-origin\r\nCross-Origin-Resource-Policy: "
      "same-origin\r\n"
      "Cross-Origin-Opener-Policy: same-origin\r\n";
  for (const auto& [name, value] : r.headers) out += fmt::format("{}: {}\r\n", name, value);
  return out + "\r\n" + (with_body ? r.body : "");
}

struct HttpReader::Parser {
  http::request_parser<http::string_body> parser;
  std::string waiting;  // what the parser has to see again, with more behind it
  bool done = false;
};

HttpReader::HttpReader() : parser_(std::make_unique<Parser>()) {
  parser_->parser.header_limit(kMostHeader);
  parser_->parser.body_limit(kMostBody);
  parser_->parser.eager(true);
}
HttpReader::HttpReader(HttpReader&&) noexcept = default;
HttpReader& HttpReader::operator=(HttpReader&&) noexcept = default;
HttpReader::~HttpReader() = default;

std::optional<HttpResponse> HttpReader::take(std::string_view bytes) {
  Parser& p = *parser_;
  p.waiting += bytes;
  boost::beast::error_code failed;
  const std::size_t used = p.parser.put(boost::asio::buffer(p.waiting), failed);
  p.waiting.erase(0, used);
  if (failed == http::error::need_more) {
    if (p.waiting.size() > kMostHeader) return refusal(431, "the header of the request is longer than 16 kB");
    return std::nullopt;
  }
  if (failed) return why_not(failed);
  p.done = p.parser.is_done();
  return std::nullopt;
}

bool HttpReader::is_done() const { return parser_->done; }

HttpRequest HttpReader::request() const {
  const auto& message = parser_->parser.get();
  HttpRequest request;
  request.method = std::string(message.method_string());
  request.target = std::string(message.target());
  for (const auto& field : message) {
    // Of two of one name the second is no less true: neither is taken.
    const auto [known, fresh] = request.headers.try_emplace(lower(std::string(field.name_string())), std::string(field.value()));
    if (!fresh) known->second += ", " + std::string(field.value());
  }
  request.body = message.body();
  return request;
}

std::optional<std::map<std::string, std::string>> form_fields(std::string_view text) {
  std::map<std::string, std::string> fields;
  while (!text.empty()) {
    std::string_view value = take_until(text, '&');
    const auto name = decoded(take_until(value, '='));
    const auto content = decoded(value);
    if (!name || !content || !fields.try_emplace(*name, *content).second) return std::nullopt;
  }
  return fields;
}

}  // namespace egt::cli
