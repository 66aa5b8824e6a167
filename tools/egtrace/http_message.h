// Requests and responses of HTTP/1.1 (RFC 9112), as `egtrace serve` takes and gives them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace egt::cli {

struct HttpRequest {
  std::string method, target;                  // "GET", "/explain?x=1"
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;

  std::string header(const std::string& name) const;  // empty: there is none
  std::string path() const;                           // without what is asked for behind '?'
};

struct HttpResponse {
  unsigned status = 200;
  std::string type = "text/plain; charset=utf-8", body;
  std::vector<std::pair<std::string, std::string>> headers;
};

// A refusal, as a line of text.
HttpResponse refusal(unsigned status, std::string_view why);
// As it is sent; the body is left out for HEAD. Every response forbids frames, guessing of types and keeping.
std::string bytes_of(const HttpResponse& response, bool with_body);

// A request that arrives in pieces.
class HttpReader {
 public:
  HttpReader();
  HttpReader(HttpReader&&) noexcept;
  HttpReader& operator=(HttpReader&&) noexcept;
  ~HttpReader();
  // What arrived so far, whole. The response names what is wrong with it; then no more is read.
  std::optional<HttpResponse> take(std::string_view bytes);
  bool is_done() const;
  HttpRequest request() const;

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

// "from=a%2Fb&to=c" (application/x-www-form-urlencoded of the URL standard). None: it is none.
std::optional<std::map<std::string, std::string>> form_fields(std::string_view text);

}  // namespace egt::cli
