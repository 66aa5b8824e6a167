#include "http_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <list>
#include <utility>
#include <vector>

#include "command.h"

namespace egt::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostConnections = 64, kMostAnswers = 4;
constexpr std::chrono::seconds kPatience{10};  // for a request to arrive, and for a response to be taken

volatile std::sig_atomic_t is_over = 0;

// SIGINT and SIGTERM are let through while the loop waits, and only then.
class EndBySignal {
 public:
  EndBySignal() {
    is_over = 0;
    struct sigaction end {};
    end.sa_handler = [](int) { is_over = 1; };
    sigset_t held;
    ::sigemptyset(&held);
    for (std::size_t i = 0; i < 2; ++i) {
      ::sigaddset(&held, kSignals[i]);
      ::sigaction(kSignals[i], &end, &before_[i]);
    }
    ::sigprocmask(SIG_BLOCK, &held, &mask_);
  }
  EndBySignal(const EndBySignal&) = delete;
  EndBySignal& operator=(const EndBySignal&) = delete;
  ~EndBySignal() {
    for (std::size_t i = 0; i < 2; ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
    ::sigprocmask(SIG_SETMASK, &mask_, nullptr);
  }
  const sigset_t& mask() const { return mask_; }

 private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM};
  struct sigaction before_[2]{};
  sigset_t mask_;
};

struct Socket {
  int fd = -1;
  explicit Socket(int opened = -1) : fd(opened) {}
  Socket(Socket&& other) noexcept : fd(std::exchange(other.fd, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(fd, other.fd);
    return *this;
  }
  ~Socket() { close(); }
  void close() {
    if (fd >= 0) ::close(std::exchange(fd, -1));
  }
};

struct Connection {
  Socket client;
  Clock::time_point until;
  HttpReader reader;
  HttpRequest request;
  Socket answer;  // of the process that answers; -1: none does
  pid_t process = -1;
  std::string out;  // what is to be sent; while a process answers, what came of it so far
  bool is_writing = false, is_over = false;

  bool is_answered_elsewhere() const { return process > 0; }
};

sockaddr_storage socket_address(const ListenAddress& at, socklen_t& size) {
  sockaddr_storage storage{};
  if (at.ip.is_v4()) {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(at.port);
    v4.sin_addr.s_addr = htonl(static_cast<std::uint32_t>(at.ip.value));
    size = sizeof v4;
    std::memcpy(&storage, &v4, size);
    return storage;
  }
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(at.port);
  for (std::size_t i = 0; i < 16; ++i) v6.sin6_addr.s6_addr[i] = static_cast<std::uint8_t>(at.ip.value >> (8 * (15 - i)));
  size = sizeof v6;
  std::memcpy(&storage, &v6, size);
  return storage;
}

class Loop {
 public:
  Loop(int listening, const HttpHandlers& handlers) : listening_(listening), handlers_(handlers) {}
  ~Loop() {
    for (Connection& c : connections_) end_process(c);
  }
  void run() {
    while (is_over == 0) {
      wait();
      take_connections();
      const auto now = Clock::now();
      for (Connection& c : connections_) step(c, now);
      std::erase_if(connections_, [](const Connection& c) { return c.is_over; });
    }
  }

 private:
  void wait() {
    waiting_.clear();
    waiting_.push_back({listening_, static_cast<short>(connections_.size() < kMostConnections ? POLLIN : 0), 0});
    auto until = Clock::now() + std::chrono::hours(1);
    for (const Connection& c : connections_) {
      until = std::min(until, c.until);
      // A client that leaves while its answer is made is noticed, too.
      const short events = c.is_writing ? POLLOUT : c.is_answered_elsewhere() ? 0 : POLLIN;
      waiting_.push_back({c.client.fd, events, 0});
      if (c.is_answered_elsewhere()) waiting_.push_back({c.answer.fd, POLLIN, 0});
    }
    const auto left = std::max(std::chrono::nanoseconds(0), std::chrono::nanoseconds(until - Clock::now()));
    const timespec patience{static_cast<time_t>(left.count() / 1'000'000'000), static_cast<long>(left.count() % 1'000'000'000)};
    if (::ppoll(waiting_.data(), waiting_.size(), &patience, &signals_.mask()) < 0) waiting_.clear();
  }

  bool is_ready(int fd) const {
    return std::any_of(waiting_.begin(), waiting_.end(), [&](const pollfd& p) { return p.fd == fd && p.revents != 0; });
  }

  void take_connections() {
    while (connections_.size() < kMostConnections && is_ready(listening_)) {
      Socket client(::accept4(listening_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (client.fd < 0) return;
      Connection& c = connections_.emplace_back();
      c.client = std::move(client);
      c.until = Clock::now() + kPatience;
    }
  }

  void step(Connection& c, Clock::time_point now) {
    if (now >= c.until) return expire(c);
    if (c.is_answered_elsewhere())
      read_answer(c);
    else if (c.is_writing)
      write(c);
    else
      read(c);
  }

  void expire(Connection& c) {
    const bool is_late_answer = c.is_answered_elsewhere();
    end_process(c);
    if (is_late_answer) return respond(c, refusal(504, fmt::format("no answer within {} seconds", handlers_.seconds)));
    if (!c.is_writing) return respond(c, refusal(408, "the request did not arrive in time"));
    c.is_over = true;
  }

  void read(Connection& c) {
    if (!is_ready(c.client.fd)) return;
    char bytes[8192];
    const ssize_t got = ::recv(c.client.fd, bytes, sizeof bytes, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) {
      c.is_over = true;
      return;
    }
    if (const auto wrong = c.reader.take({bytes, static_cast<std::size_t>(got)})) return respond(c, *wrong);
    if (!c.reader.is_done()) return;
    c.request = c.reader.request();
    if (const auto response = handlers_.respond(c.request)) return respond(c, *response);
    begin_answer(c);
  }

  void respond(Connection& c, const HttpResponse& response) { send(c, bytes_of(response, c.request.method != "HEAD")); }

  void send(Connection& c, std::string bytes) {
    c.out = std::move(bytes);
    c.is_writing = true;
    c.until = Clock::now() + kPatience;
    write(c);
  }

  void write(Connection& c) {
    const ssize_t sent = ::send(c.client.fd, c.out.data(), c.out.size(), MSG_NOSIGNAL);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (sent > 0) {
      c.out.erase(0, static_cast<std::size_t>(sent));
      c.until = Clock::now() + kPatience;
      if (!c.out.empty()) return;
    }
    // What the client sent besides would make the kernel reset the connection before it has read the response.
    ::shutdown(c.client.fd, SHUT_WR);
    char rest[4096];
    for (int i = 0; i < 64 && ::recv(c.client.fd, rest, sizeof rest, MSG_DONTWAIT) > 0;) ++i;
    c.is_over = true;
  }

  void begin_answer(Connection& c) {
    const auto answering =
        std::count_if(connections_.begin(), connections_.end(), [](const Connection& o) { return o.is_answered_elsewhere(); });
    int ends[2];
    if (static_cast<std::size_t>(answering) >= kMostAnswers || ::pipe2(ends, O_CLOEXEC) != 0)
      return respond(c, refusal(503, "too many questions at once; ask again"));
    Socket reading(ends[0]), writing(ends[1]);
    std::fflush(nullptr);
    const pid_t process = ::fork();
    if (process < 0) return respond(c, refusal(503, "no process for the question; ask again"));
    if (process == 0) answer_and_end(c.request, writing.fd);
    ::fcntl(reading.fd, F_SETFL, O_NONBLOCK);
    c.answer = std::move(reading);
    c.process = process;
    c.until = Clock::now() + std::chrono::seconds(handlers_.seconds);
  }

  [[noreturn]] void answer_and_end(const HttpRequest& request, int into) {
    for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
    ::sigprocmask(SIG_SETMASK, &signals_.mask(), nullptr);
    ::close(listening_);
    for (Connection& other : connections_) other.client.close();
    const std::string bytes = bytes_of(handlers_.answer(request), true);
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t n = ::write(into, bytes.data() + done, bytes.size() - done);
      if (n <= 0) break;
      done += static_cast<std::size_t>(n);
    }
    ::_exit(0);
  }

  void read_answer(Connection& c) {
    if (is_ready(c.client.fd)) {  // it has gone
      end_process(c);
      c.is_over = true;
      return;
    }
    if (!is_ready(c.answer.fd)) return;
    char bytes[65536];
    const ssize_t got = ::read(c.answer.fd, bytes, sizeof bytes);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got > 0) {
      c.out.append(bytes, static_cast<std::size_t>(got));
      return;
    }
    const bool is_whole = end_process(c) && !c.out.empty();
    if (!is_whole) return respond(c, refusal(500, "the question ended without an answer"));
    send(c, std::move(c.out));
  }

  // Whether it had ended by itself, and well.
  static bool end_process(Connection& c) {
    if (c.process <= 0) return true;
    c.answer.close();
    int status = 0;
    pid_t ended = 0;
    // One that has closed its end is about to end.
    for (int i = 0; i < 200 && (ended = ::waitpid(c.process, &status, WNOHANG)) == 0 && i < 199; ++i) {
      if (Clock::now() >= c.until || is_over != 0) break;
      ::usleep(1000);
    }
    if (ended == 0) {
      ::kill(c.process, SIGKILL);
      ::waitpid(c.process, &status, 0);
    }
    c.process = -1;
    return ended > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

  int listening_;
  const HttpHandlers& handlers_;
  EndBySignal signals_;
  std::list<Connection> connections_;
  std::vector<pollfd> waiting_;
};

}  // namespace

HttpServer::HttpServer(const ListenAddress& at) : at_(at) {
  socklen_t size = 0;
  sockaddr_storage where = socket_address(at, size);
  socket_ = ::socket(where.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int yes = 1;
  if (socket_ >= 0) ::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (socket_ < 0 || ::bind(socket_, reinterpret_cast<sockaddr*>(&where), size) != 0 || ::listen(socket_, 64) != 0)
    throw CommandError(fmt::format("{}: cannot listen there: {}", at.text(), std::strerror(errno)));
  if (::getsockname(socket_, reinterpret_cast<sockaddr*>(&where), &size) != 0) return;
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  std::memcpy(&v4, &where, sizeof v4);
  std::memcpy(&v6, &where, sizeof v6);
  at_.port = ntohs(at.ip.is_v4() ? v4.sin_port : v6.sin6_port);
}

HttpServer::~HttpServer() {
  if (socket_ >= 0) ::close(socket_);
}

void HttpServer::run(const HttpHandlers& handlers) { Loop(socket_, handlers).run(); }

}  // namespace egt::cli
