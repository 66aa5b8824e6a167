// egtrace serve SNAPSHOT: the page of `report`, with a form for questions, for browsers.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <new>
#include <optional>

#include "access.h"
#include "answer.h"
#include "command.h"
#include "completion.h"
#include "egtrace/parsers/content.h"
#include "egtrace/render/explain.h"
#include "http_server.h"
#include "packet_options.h"
#include "report_page.h"
#include "snapshot_options.h"

namespace egt::cli {
namespace {

constexpr const char* kServeFooter =
    "The page is that of `egtrace report`, made once, with a form: from, to (POINT), protocol. POST /explain with the fields "
    "from, to, proto, namespace "
    "and format (html or json) answers as `egtrace explain` does. Nothing is written, no file is served.\n"
    "Only this host can reach it unless --listen says otherwise; then a token is demanded, that of --token-file or one that "
    "is made and printed. "
    "Where other users of this host are not to see it, give --token-file as well. There is no TLS: reach it by `ssh -L`.\n"
    "\n"
    "Examples:\n"
    "  egtrace serve ./dumps\n"
    "  egtrace serve must-gather.tar.gz --listen 127.0.0.1:9000\n"
    "  egtrace serve ./dumps --listen 192.0.2.5:8080 --token-file ~/.egtrace-token\n"
    "  curl --data 'from=shop/cart-7d4b&to=192.0.2.10:443&format=json' http://127.0.0.1:8080/explain\n"
    "\n"
    "Exit status: 0 ended by SIGINT or SIGTERM, 2 the call or the snapshot is unusable.\n";

struct ServeOptions {
  CommonOptions common;
  SnapshotOptions snapshot;
  ReportChoice choice;
  std::string listen = "127.0.0.1:8080", token_file;
  unsigned seconds = 60;
};

using Fields = std::map<std::string, std::string>;

std::string field(const Fields& fields, const std::string& name, const std::string& otherwise = "") {
  const auto found = fields.find(name);
  return found == fields.end() || found->second.empty() ? otherwise : found->second;
}

HttpResponse not_allowed(const char* methods) {
  HttpResponse response = refusal(405, fmt::format("only {} here", methods));
  response.headers.emplace_back("Allow", methods);
  return response;
}

// Whether it is one is known before a process is started for it.
std::optional<HttpResponse> refuse_form(const HttpRequest& request) {
  constexpr std::size_t kLongest = 300;
  if (!request.header("content-type").starts_with("application/x-www-form-urlencoded"))
    return refusal(415, "send application/x-www-form-urlencoded");
  const auto fields = form_fields(request.body);
  if (!fields) return refusal(400, "this is no form");
  for (const auto& [name, value] : *fields)
    if (value.size() > kLongest) return refusal(400, "a field is longer than 300 characters");
  if (field(*fields, "from").empty() || field(*fields, "to").empty())
    return refusal(400, "the fields `from` and `to` are required");
  if (const std::string format = field(*fields, "format", "html"); format != "html" && format != "json")
    return refusal(400, "the field `format` is html or json");
  return std::nullopt;
}

HttpResponse explained(const explain::Explainer& explainer, const Fields& fields) {
  PacketOptions packet;
  packet.from = field(fields, "from");
  packet.to = field(fields, "to");
  packet.namespace_ = field(fields, "namespace");
  packet.proto = field(fields, "proto", "tcp");
  explain::Question question = packet.question();
  question.counters = true;
  const auto explanation = answer(explainer, question);
  if (!explanation) return refusal(400, explanation.error().message);
  HttpResponse response;
  const bool as_json = field(fields, "format") == "json";
  response.type = as_json ? "application/json" : "text/html; charset=utf-8";
  response.body = as_json ? render::explain_json(*explanation) : render::explain_html(*explanation);
  if (const auto changed = parsers::changed_file()) return refusal(500, *changed);
  return response;
}

HttpResponse answer_form(const explain::Explainer& explainer, const HttpRequest& request) {
  try {
    return explained(explainer, form_fields(request.body).value_or(Fields{}));
  } catch (const CommandError& wrong) {
    return refusal(400, wrong.what());
  } catch (const std::bad_alloc&) {
    return refusal(503, "the answer needs more memory than there is");
  } catch (const std::exception& error) {
    return refusal(500, error.what());
  }
}

std::optional<HttpResponse> respond(const HttpRequest& request, const Access& access, const std::string& page) {
  if (auto refused = access.refuse(request)) return refused;
  const bool is_get = request.method == "GET" || request.method == "HEAD";
  if (request.path() == "/explain") return request.method == "POST" ? refuse_form(request) : not_allowed("POST");
  if (request.path() != "/") return refusal(404, "there is / and /explain");
  if (!is_get) return not_allowed("GET, HEAD");
  HttpResponse response;
  response.type = "text/html; charset=utf-8";
  response.body = page;
  return response;
}

ListenAddress address_of(const std::string& text) {
  if (const auto at = parse_listen_address(text)) return *at;
  throw CommandError(fmt::format("--listen: '{}' is no address with a port; write it as 127.0.0.1:8080 or [::1]:8080", text));
}

std::string token_for(const ServeOptions& o, const ListenAddress& at) {
  if (!o.token_file.empty()) return token_of_file(o.token_file);
  return at.is_loopback() ? std::string() : new_token();
}

// Where it is printed, that one line is all.
void announce(const ListenAddress& at, const std::string& token, const ServeOptions& o) {
  const bool is_made = !token.empty() && o.token_file.empty();
  fmt::print("http://{}/{}\n", at.text(), is_made ? "?token=" + token : "");
  std::fflush(stdout);
  if (o.common.quiet) return;
  if (!token.empty() && !is_made) print_error("egtrace: the address wants ?token= with the token of --token-file behind it\n");
  if (at.ip.is_unspecified()) print_error(fmt::format("egtrace: {} stands for every address of this host\n", at.ip.to_string()));
  if (!at.is_loopback()) print_error("egtrace: others can reach this address, and read what is sent: there is no TLS\n");
}

ExitStatus run_serve(const ServeOptions& o) {
  HttpServer server(address_of(o.listen));  // before a long reading
  const std::string token = token_for(o, server.address());
  const parsers::Snapshot& snapshot = open_for_report(o.snapshot, o.common);
  const std::vector<std::string> points = points_of(snapshot.cluster);
  const std::string page = report_page(o.choice, snapshot, o.snapshot, o.common, &points);
  const explain::Explainer explainer(snapshot.cluster, &snapshot.collection);
  const Access access(server.address(), token);
  print_warnings();
  announce(server.address(), token, o);
  server.run({[&](const HttpRequest& r) { return respond(r, access, page); },
              [&](const HttpRequest& r) { return answer_form(explainer, r); }, o.seconds});
  return ExitStatus::done;
}

}  // namespace

void add_serve(CLI::App& app, ExitStatus& status) {
  auto o = std::make_shared<ServeOptions>();
  CLI::App* verb = app.add_subcommand("serve", "show the page of `report` to browsers, with a form for questions");
  add_snapshot_options(*verb, o->snapshot);
  add_at_option(*verb, o->snapshot);
  verb->add_option("--listen", o->listen, "address and port; port 0: one that is free")
      ->capture_default_str()
      ->type_name("ADDRESS:PORT");
  verb->add_option("--token-file", o->token_file, "demand the token in this file's first line")->type_name("FILE");
  verb->add_option("--timeout", o->seconds, "seconds that an answer may take")
      ->check(CLI::Range(1, 3600))
      ->capture_default_str()
      ->type_name("N");
  add_report_choice(*verb, o->choice);
  verb->add_option("--jobs", o->common.jobs, "threads to work with (default: one a processor)")
      ->check(CLI::Range(0, 1024))
      ->type_name("N");
  verb->add_flag("-q,--quiet", o->common.quiet, "no warnings");
  verb->footer(std::string(kPointForms) + "\n\n" + kServeFooter);
  verb->callback([o, &status] { status = run_serve(*o); });
}

}  // namespace egt::cli
