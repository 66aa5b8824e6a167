// Which clients `egtrace serve` answers: by the name under which the browser reached it (against DNS rebinding), by where the
// page lies that asks, and by a token where others than this host can reach it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "egtrace/base/ip.h"
#include "http_message.h"

namespace egt::cli {

struct ListenAddress {
  IpAddr ip;
  std::uint16_t port = 0;
  bool is_loopback() const;
  std::string text() const;  // "127.0.0.1:8080", "[::1]:8080"
};

// "127.0.0.1:8080", "[::1]:0", "localhost:8080".
std::optional<ListenAddress> parse_listen_address(std::string_view text);

class Access {
 public:
  // `token`: empty where none is asked for.
  Access(ListenAddress at, std::string token) : at_(at), token_(std::move(token)) {}
  // None: it may. A browser with the token in the address is sent to the same page with it as a cookie.
  std::optional<HttpResponse> refuse(const HttpRequest& request) const;

 private:
  bool is_own_name(std::string_view host) const;
  bool has_token(const HttpRequest& request) const;

  ListenAddress at_;
  std::string token_;
};

// In a time that does not depend on where they differ.
bool are_equal(std::string_view a, std::string_view b);
// 32 hexadecimal digits of the kernel's randomness.
std::string new_token();
// Of the file's first line. Throws CommandError where it is none that can be relied on.
std::string token_of_file(const std::string& path);

}  // namespace egt::cli
