#include "support/browser.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <stdexcept>

namespace egt::testing {
namespace {

using Json = nlohmann::json;

constexpr int kPatience = 20'000;  // ms, for one answer

const std::string& program() {
  static const std::string found = [] {
    for (const char* path : {"/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"})
      if (std::filesystem::exists(path)) return std::string(path);
    return std::string();
  }();
  return found;
}

std::string decoded(const std::string& base64) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned bits = 0, count = 0;
  for (const char c : base64) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) break;
    bits = (bits << 6) | static_cast<unsigned>(digit);
    if ((count += 6) < 8) continue;
    count -= 8;
    out += static_cast<char>((bits >> count) & 0xff);
  }
  return out;
}

// Its pipes are descriptors 3 and 4.
pid_t start(const std::string& profile, int commands, int answers) {
  std::vector<std::string> words = {program(),
                                    "--headless=new",
                                    "--no-sandbox",
                                    "--disable-gpu",
                                    "--disable-dev-shm-usage",
                                    "--no-first-run",
                                    "--hide-scrollbars",
                                    "--disable-background-networking",
                                    "--disable-component-update",
                                    "--user-data-dir=" + profile,
                                    "--remote-debugging-pipe",
                                    "about:blank"};
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, commands, 3);
  ::posix_spawn_file_actions_adddup2(&actions, answers, 4);
  pid_t process = -1;
  const int failed = ::posix_spawn(&process, argv[0], &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error("chromium does not start");
  return process;
}

// Of both ends none may be 3 or 4, which would be closed before it is copied.
void open_pipe(int (&ends)[2]) {
  int low[2];
  if (::pipe2(low, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  for (int i = 0; i < 2; ++i) {
    ends[i] = ::fcntl(low[i], F_DUPFD_CLOEXEC, 10);
    ::close(low[i]);
  }
}

}  // namespace

bool Browser::is_there() { return !program().empty(); }

Browser::Browser() {
  ::signal(SIGPIPE, SIG_IGN);
  int commands[2], answers[2];
  open_pipe(commands);
  open_pipe(answers);
  process_ = start(profile_.path(), commands[0], answers[1]);
  ::close(commands[0]);
  ::close(answers[1]);
  to_ = commands[1];
  from_ = answers[0];
  const Json target = call("Target.createTarget", {{"url", "about:blank"}});
  session_ = call("Target.attachToTarget", {{"targetId", target["targetId"]}, {"flatten", true}})["sessionId"];
  for (const char* domain : {"Page", "Runtime", "Log"}) call(std::string(domain) + ".enable");
  call("Emulation.setFocusEmulationEnabled", {{"enabled", true}});
}

Browser::~Browser() {
  ::close(to_);  // at which it ends
  for (int i = 0; i < 200 && ::waitpid(process_, nullptr, WNOHANG) == 0; ++i) {
    if (i == 100) ::kill(process_, SIGKILL);
    ::usleep(10'000);
  }
  ::close(from_);
}

Json Browser::receive() {
  for (;;) {
    if (const std::size_t end = received_.find('\0'); end != std::string::npos) {
      const Json message = Json::parse(received_.substr(0, end));
      received_.erase(0, end + 1);
      return message;
    }
    pollfd waiting{from_, POLLIN, 0};
    char piece[1 << 16];
    const ssize_t got = ::poll(&waiting, 1, kPatience) == 1 ? ::read(from_, piece, sizeof piece) : -1;
    if (got <= 0) throw std::runtime_error("chromium does not answer");
    received_.append(piece, static_cast<std::size_t>(got));
  }
}

Json Browser::call(const std::string& method, Json parameters) {
  Json command = {{"id", ++last_call_}, {"method", method}, {"params", std::move(parameters)}};
  if (!session_.empty()) command["sessionId"] = session_;
  const std::string text = command.dump();
  for (std::size_t sent = 0; sent <= text.size();) {  // with the zero at its end
    const ssize_t wrote = ::write(to_, text.c_str() + sent, text.size() + 1 - sent);
    if (wrote <= 0) throw std::runtime_error("chromium has ended");
    sent += static_cast<std::size_t>(wrote);
  }
  for (;;) {
    Json message = receive();
    if (!message.contains("id")) {
      note(message);
    } else if (message["id"] == last_call_) {
      if (message.contains("error")) throw std::runtime_error(method + ": " + message["error"].dump());
      return message["result"];
    }
  }
}

void Browser::note(const Json& event) {
  const std::string method = event.value("method", "");
  if (method == "Page.loadEventFired") loaded_ = true;
  if (method == "Runtime.consoleAPICalled" || method == "Runtime.exceptionThrown" || method == "Log.entryAdded")
    messages_.push_back(event["params"].dump());
}

void Browser::look(const Look& look) {
  call("Emulation.setDeviceMetricsOverride",
       {{"width", look.width}, {"height", look.height}, {"deviceScaleFactor", 1}, {"mobile", false}});
  call("Emulation.setEmulatedMedia",
       {{"media", look.printed ? "print" : ""},
        {"features", {{{"name", "prefers-color-scheme"}, {"value", look.dark ? "dark" : "light"}}}}});
}

void Browser::open(const std::string& url, const std::string& before) {
  if (!before_.empty()) call("Page.removeScriptToEvaluateOnNewDocument", {{"identifier", before_}});
  before_.clear();
  go_to("about:blank");  // else an address that differs only behind # loads nothing
  if (!before.empty()) before_ = call("Page.addScriptToEvaluateOnNewDocument", {{"source", before}})["identifier"];
  messages_.clear();
  go_to(url);
}

void Browser::follow(const std::function<void()>& lead) {
  loaded_ = false;
  lead();
  while (!loaded_) note(receive());
}

void Browser::go_to(const std::string& url) {
  follow([&] { call("Page.navigate", {{"url", url}}); });
}

Json Browser::value(const std::string& expression) {
  const Json answer = call("Runtime.evaluate", {{"expression", expression}, {"returnByValue", true}, {"awaitPromise", true}});
  if (answer.contains("exceptionDetails")) throw std::runtime_error(expression + ": " + answer["exceptionDetails"].dump());
  return answer["result"].contains("value") ? answer["result"]["value"] : Json();
}

void Browser::key(const std::string& type, const std::string& key, int modifiers) {
  static const std::map<std::string, std::pair<int, std::string>> kNamed = {
      {"Tab", {9, ""}}, {"Enter", {13, "\r"}}, {"Escape", {27, ""}}, {" ", {32, " "}}, {"/", {191, "/"}}, {"?", {191, "?"}}};
  Json event = {{"type", type}, {"key", key}, {"modifiers", modifiers}};
  if (const auto named = kNamed.find(key); named != kNamed.end()) {
    event["windowsVirtualKeyCode"] = named->second.first;
    if (type == "keyDown" && !named->second.second.empty()) event["text"] = named->second.second;
  } else {
    event["windowsVirtualKeyCode"] = std::toupper(static_cast<unsigned char>(key[0]));
    if (type == "keyDown" && modifiers == 0) event["text"] = key;
    if (type == "keyDown" && modifiers == 2 && key == "v") event["commands"] = {"paste"};
  }
  call("Input.dispatchKeyEvent", event);
}

void Browser::press(const std::string& name, int times) {
  for (int i = 0; i < times; ++i) {
    key("keyDown", name, 0);
    key("keyUp", name, 0);
  }
}

void Browser::press_with_shift(const std::string& name) {
  key("keyDown", name, 8);
  key("keyUp", name, 8);
}

void Browser::paste() {
  key("keyDown", "v", 2);
  key("keyUp", "v", 2);
}

void Browser::type(const std::string& text) { call("Input.insertText", {{"text", text}}); }

void Browser::click(const std::string& selector) {
  // As a reader does, once it stands still.
  const Json at =
      value("(async () => { const e = document.querySelector(" + Json(selector).dump() +
            ");"
            " const frames = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));"
            " const place = () => { const r = e.getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; };"
            " for (let i = 0, before = []; i < 50; ++i) {"
            "   const now = place();"
            "   if (i > 3 && now[0] === before[0] && now[1] === before[1] && now[1] > 0 && now[1] < innerHeight) return now;"
            "   before = now; if (now[1] < 0 || now[1] > innerHeight || i === 0) e.scrollIntoView({block: 'center'});"
            "   await frames(); }"
            " return place(); })()");
  for (const char* type : {"mousePressed", "mouseReleased"})
    call("Input.dispatchMouseEvent", {{"type", type}, {"x", at[0]}, {"y", at[1]}, {"button", "left"}, {"clickCount", 1}});
}

std::string Browser::print() {
  return decoded(call("Page.printToPDF", {{"printBackground", true}, {"paperWidth", 8.27}, {"paperHeight", 11.69}})["data"]);
}

std::string Browser::picture() {
  constexpr int kTallest = 4000;
  const Json size = value("[document.documentElement.clientWidth, Math.min(document.documentElement.scrollHeight, " +
                          std::to_string(kTallest) + ")]");
  return decoded(call("Page.captureScreenshot",
                      {{"captureBeyondViewport", true},
                       {"clip", {{"x", 0}, {"y", 0}, {"width", size[0]}, {"height", size[1]}, {"scale", 1}}}})["data"]);
}

const std::vector<std::string>& Browser::settled_messages() {
  value("new Promise(done => setTimeout(done, 50))");
  return messages_;
}

}  // namespace egt::testing
