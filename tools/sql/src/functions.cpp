#include "functions.h"

#include <fmt/format.h>

#include <exception>
#include <memory>
#include <optional>
#include <string>

#include "egtrace/base/ip.h"
#include "egtrace/base/text.h"
#include "egtrace/parsers/flows.h"
#include "egtrace/parsers/ovs_ofctl.h"

namespace egt::sql {
namespace {

std::string_view text_of(sqlite3_value* value) {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_value_text(value));
  return bytes == nullptr ? std::string_view() : std::string_view(bytes, static_cast<std::size_t>(sqlite3_value_bytes(value)));
}

void fail(sqlite3_context* context, const std::string& why) {
  sqlite3_result_error(context, why.c_str(), static_cast<int>(why.size()));
}

// The second argument is parsed once where it is a constant.
template <class T, class Read>
const T* argument(sqlite3_context* context, sqlite3_value** values, Read read) {
  if (const void* known = sqlite3_get_auxdata(context, 1)) return static_cast<const T*>(known);
  auto fresh = std::make_unique<T>(read(text_of(values[1])));
  sqlite3_set_auxdata(context, 1, fresh.release(), [](void* old) { delete static_cast<T*>(old); });
  return static_cast<const T*>(sqlite3_get_auxdata(context, 1));
}

using Network = std::optional<Prefix>;

// NULL where the first argument is no address: whether it is in the network is not known.
void in_subnet(sqlite3_context* context, int, sqlite3_value** values) {
  if (sqlite3_value_type(values[0]) == SQLITE_NULL || sqlite3_value_type(values[1]) == SQLITE_NULL)
    return sqlite3_result_null(context);
  const Network* network = argument<Network>(context, values, [](std::string_view text) { return Prefix::parse(text); });
  if (network == nullptr) return sqlite3_result_error_nomem(context);
  if (!*network) return fail(context, fmt::format("in_subnet(): `{}` is no network", text_of(values[1])));
  const Network inner = Prefix::parse(text_of(values[0]));
  if (!inner) return sqlite3_result_null(context);
  sqlite3_result_int(context, (*network)->network().contains(*inner) ? 1 : 0);
}

// A match, with names of ports as text: their numbers are not known here.
struct ReadMatch {
  openflow::Match match;
  std::string port_name, error;
};

ReadMatch read_match(std::string_view text) {
  ReadMatch out;
  constexpr std::uint32_t kNamed = 0xfffffe00;  // beyond all numbers of ports
  auto match = parsers::parse_match(text, [&](std::string_view name) {
    out.port_name = name;
    return std::optional<std::uint32_t>(kNamed);
  });
  if (match)
    out.match = *std::move(match);
  else
    out.error = match.error().message;
  return out;
}

// A line of dump-flows, or a match alone.
ReadMatch match_of_flow(std::string_view text) {
  openflow::FlowWords words;
  return read_match(text.find("actions=") != std::string_view::npos && parsers::read_flow_words(text, words) ? words.match
                                                                                                             : text);
}

bool looks_at_port(const ReadMatch& m) { return openflow::mask_of(m.match.view(), FieldId::in_port) != 0; }

// Whether one has the name of a port where the other has a number, or another name.
enum class Ports { comparable, unknown, different };
Ports compare_ports(const ReadMatch& a, const ReadMatch& b) {
  if (a.port_name == b.port_name || !looks_at_port(a) || !looks_at_port(b)) return Ports::comparable;
  return a.port_name.empty() || b.port_name.empty() ? Ports::unknown : Ports::different;
}

const openflow::MatchWord* word_in(openflow::MatchView match, std::uint8_t number) {
  for (const openflow::MatchWord& w : match)
    if (w.word == number) return &w;
  return nullptr;
}

// As `ovs-ofctl dump-flows BRIDGE MATCH`: the flow demands all that MATCH demands.
bool includes(openflow::MatchView flow, openflow::MatchView wanted) {
  for (const openflow::MatchWord& w : wanted) {
    const openflow::MatchWord* own = word_in(flow, w.word);
    if (own == nullptr || (own->mask & w.mask) != w.mask || (own->value & w.mask) != w.value) return false;
  }
  return true;
}

// Some packet matches both.
bool overlaps(openflow::MatchView flow, openflow::MatchView wanted) {
  for (const openflow::MatchWord& w : wanted) {
    const openflow::MatchWord* own = word_in(flow, w.word);
    if (own != nullptr && ((own->value ^ w.value) & own->mask & w.mask) != 0) return false;
  }
  return true;
}

template <bool (*test)(openflow::MatchView, openflow::MatchView)>
void compare_matches(sqlite3_context* context, int, sqlite3_value** values) {
  if (sqlite3_value_type(values[1]) == SQLITE_NULL) return sqlite3_result_null(context);
  const ReadMatch* wanted = argument<ReadMatch>(context, values, read_match);
  if (wanted == nullptr) return sqlite3_result_error_nomem(context);
  if (!wanted->error.empty()) return fail(context, fmt::format("match(): `{}`: {}", text_of(values[1]), wanted->error));
  const ReadMatch flow = match_of_flow(text_of(values[0]));  // NULL: a flow that matches everything
  if (!flow.error.empty()) return sqlite3_result_null(context);
  const Ports ports = compare_ports(flow, *wanted);
  if (ports == Ports::unknown) return sqlite3_result_null(context);
  sqlite3_result_int(context, ports == Ports::comparable && test(flow.match.view(), wanted->match.view()) ? 1 : 0);
}

using Function = void (*)(sqlite3_context*, int, sqlite3_value**);

// No exception may pass through SQLite.
template <Function function>
void guarded(sqlite3_context* context, int count, sqlite3_value** values) {
  try {
    function(context, count, values);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  } catch (const std::exception& error) {
    fail(context, error.what());
  }
}

template <Function function>
void add(sqlite3* database, const char* name) {
  constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  sqlite3_create_function_v2(database, name, 2, kFlags, nullptr, guarded<function>, nullptr, nullptr, nullptr);
}

}  // namespace

void add_functions(sqlite3* database) {
  add<in_subnet>(database, "in_subnet");
  add<compare_matches<includes>>(database, "match");  // in the place of the operator that full-text search has
  add<compare_matches<overlaps>>(database, "may_match");
}

}  // namespace egt::sql
