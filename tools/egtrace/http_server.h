// A server of HTTP for a few people: one loop over all connections, each of which is answered once and closed. Whatever a client
// sends or leaves out, a connection ends after some seconds. Questions are answered by processes of their own.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "access.h"
#include "http_message.h"

namespace egt::cli {

struct HttpHandlers {
  // The response, or none: then answer() has it, in another process, which may take some seconds and is ended then.
  std::function<std::optional<HttpResponse>(const HttpRequest&)> respond;
  std::function<HttpResponse(const HttpRequest&)> answer;
  unsigned seconds = 60;
};

class HttpServer {
 public:
  // Throws CommandError where it cannot listen there.
  explicit HttpServer(const ListenAddress& at);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();
  const ListenAddress& address() const { return at_; }  // with the port that the kernel chose where 0 was given

  // Until SIGINT or SIGTERM.
  void run(const HttpHandlers& handlers);

 private:
  ListenAddress at_;
  int socket_ = -1;
};

}  // namespace egt::cli
