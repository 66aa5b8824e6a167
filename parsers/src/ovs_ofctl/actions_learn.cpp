// learn(…): lib/learn.c.
#include "egtrace/base/text.h"
#include "ovs_ofctl/action_text.h"
#include "ovs_ofctl/values.h"
#include "support/key_value.h"

namespace egt::parsers::ofctl {
namespace {

using namespace openflow;

// An immediate begins with a digit; so do addresses. Everything else that is not a field is left to the field's format.
std::optional<Subfield> field_on_the_right(std::string_view text) {
  if (text.empty() || is_digit(text.front())) return std::nullopt;
  return parse_subfield(text);
}

bool read_learn_option(ActionText& in, std::string_view key, std::string_view value, Learn& l) {
  std::uint64_t n = 0;
  if (key == "result_dst") {
    if (!in.subfield(value, l.result_dst.emplace())) return false;
    return l.result_dst->bits == 1 || in.fail("result_dst must be one bit", value);
  }
  if ((key == "table" && !in.number(value, 254, n)) || (key == "cookie" && !in.number(value, ~std::uint64_t{0}, n))) return false;
  const auto n16 = static_cast<std::uint16_t>(leading_integer(value));  // learn_parse__() of lib/learn.c
  if (key == "table")
    l.table = static_cast<std::uint8_t>(n);
  else if (key == "priority")
    l.priority = n16;
  else if (key == "cookie")
    l.cookie = n;
  else if (key == "limit")
    l.limit = static_cast<std::uint32_t>(leading_integer(value));
  else if (key == "idle_timeout")
    l.idle_timeout = n16;
  else if (key == "hard_timeout")
    l.hard_timeout = n16;
  else if (key == "fin_idle_timeout")
    l.fin_idle_timeout = n16;
  else if (key == "fin_hard_timeout")
    l.fin_hard_timeout = n16;
  else
    return in.fail("unknown argument of learn", key);
  return true;
}

bool read_learn_spec(ActionText& in, std::string_view term, Learn& l) {
  LearnSpec spec;
  if (term.starts_with("output:")) {
    spec.kind = LearnSpec::Kind::output;
    Subfield s;
    if (!in.subfield(term.substr(7), s)) return false;
    spec.source = s;
    l.specs.push_back(std::move(spec));
    return true;
  }
  Piece load;
  if (cut_piece(term, load) && load.name == "load" && load.style != Piece::Style::bare && load.tail.empty()) {
    spec.kind = LearnSpec::Kind::load;
    const std::size_t arrow = load.args.find("->");
    if (arrow == std::string_view::npos) return in.fail("'->' is missing", term);
    const std::string_view source = load.args.substr(0, arrow);
    if (!in.destination(load.args.substr(arrow + 2), spec.dest)) return false;
    Number n;
    if (const auto s = field_on_the_right(source)) {
      if (s->bits != spec.dest.bits) return in.fail("source and destination differ in width", term);
      spec.source = *s;
    } else if (read_number(source, n) && (n.value & ~ones(spec.dest.bits)) == 0) {
      spec.source = n.value;
    } else {
      return in.fail("value does not fit", term);
    }
    l.specs.push_back(std::move(spec));
    return true;
  }
  const KeyValue kv = split_key_value(term, '=');
  if (!in.subfield(kv.key, spec.dest)) return false;
  if (!has_short_name(spec.dest.field)) return in.fail("the field has no 32-bit name", kv.key);
  if (!kv.has_value) {
    spec.source = spec.dest;
    l.specs.push_back(std::move(spec));
    return true;
  }
  if (const auto s = field_on_the_right(kv.value)) {
    if (s->bits != spec.dest.bits) return in.fail("source and destination differ in width", term);
    spec.source = *s;
    l.specs.push_back(std::move(spec));
    return true;
  }
  const Field& f = field(spec.dest.field);
  U128 value = 0;
  std::optional<U128> mask;
  Number n;
  if (spec.dest == whole(f.id) && read_field_value(f, kv.value, value, mask) && !mask) {
    spec.source = value;
  } else if (read_number(kv.value, n) && (n.value & ~ones(spec.dest.bits)) == 0) {
    spec.source = n.value;
  } else if (Port port; f.id == FieldId::in_port && read_port(kv.value, port)) {
    spec.port = port.name;
  } else {
    return in.fail("not a value of the field", term);
  }
  l.specs.push_back(std::move(spec));
  return true;
}

}  // namespace

bool read_learn(ActionText& in, const Piece& p, ActionList& out, int) {
  Learn l;
  std::string_view rest = p.args, term;
  while (next_term(rest, term)) {
    if (term.empty()) continue;
    const KeyValue kv = split_key_value(term, '=');
    bool option = true;
    if (term == "send_flow_rem")
      l.send_flow_rem = true;
    else if (term == "delete_learned")
      l.delete_learned = true;
    else if (kv.key == "table" || kv.key == "priority" || kv.key == "cookie" || kv.key == "limit" || kv.key == "result_dst" ||
             kv.key.ends_with("_timeout")) {
      if (!read_learn_option(in, kv.key, kv.value, l)) return false;
    } else {
      option = false;
    }
    if (!option && !read_learn_spec(in, term, l)) return false;
  }
  out.push_back({std::move(l)});
  return true;
}

}  // namespace egt::parsers::ofctl
