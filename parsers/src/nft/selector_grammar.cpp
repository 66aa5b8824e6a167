// Grammar of selectors: the expressions that read something of the packet, its meta data, or its connection.
#include "nft/keywords.h"
#include "nft/x3.h"

namespace egt::parsers::nft {
namespace {

// Fails the rule unless `holds(value)`.
template <class Predicate>
auto check(Predicate holds) {
  return x3::eps[([holds](auto& context) { x3::_pass(context) = holds(x3::_val(context)); })];
}
template <class Tag, class Attribute>
x3::rule<Tag, Attribute> rule(const char* name) {
  return {name};
}

const auto meta = rule<struct MetaRule, Meta>("meta") =
    (kw("meta") >> identifier[into(&Meta::key)] >> check([](const Meta& m) { return is_meta_key(m.key); })) |
    (identifier[into(&Meta::key)] >> x3::eps[raise(&Meta::bare)] >> check([](const Meta& m) { return is_bare_meta_key(m.key); }));

const auto add_word = [](auto& context) {
  auto& field = x3::_val(context).field;
  field += " ";
  field += x3::_attr(context);
};
const auto plain_payload = rule<struct PayloadRule, Payload>("payload") =
    identifier[into(&Payload::protocol)] >>
    check([](const Payload& p) { return is_payload_protocol(p.protocol); }) >> identifier[into(&Payload::field)] >>
    -(x3::eps[([](auto& context) {
        const Payload& p = x3::_val(context);
        x3::_pass(context) = p.protocol == "arp" && (p.field == "saddr" || p.field == "daddr");
      })] >>
      identifier[add_word]) >>
    check([](const Payload& p) { return is_payload_field(p.protocol, p.field); });

const auto move_in_tunnel = [](auto& context) {
  Payload& p = x3::_val(context);
  std::string tunnel = std::move(p.tunnel);
  p = std::move(x3::_attr(context));
  p.tunnel = std::move(tunnel);
};
const auto tunnel_word = rule<struct TunnelRule, std::string>("tunnel") =
    x3::lexeme[x3::raw[(x3::lit("vxlan") | "geneve" | "gretap" | "gre") >> !x3::char_("A-Za-z0-9_-")]];
const auto payload = rule<struct AnyPayloadRule, Payload>("any payload") =
    (tunnel_word[into(&Payload::tunnel)] >> plain_payload[move_in_tunnel]) |
    (x3::eps[([](auto& context) { x3::_val(context) = {}; })] >> plain_payload[move_in_tunnel]);

const auto raw_base = rule<struct BaseRule, std::string>("base") = x3::raw[+x3::char_("a-z")];
const auto raw_payload = rule<struct RawRule, RawPayload>("raw payload") =
    x3::lexeme['@' >> raw_base[into(&RawPayload::base)] >> ',' >> x3::uint_[into(&RawPayload::offset)] >> ',' >>
               x3::uint_[into(&RawPayload::length)]];

const auto direction = rule<struct DirectionRule, std::string>("direction") =
    x3::lexeme[x3::raw[(x3::lit("original") | "reply") >> !x3::char_("A-Za-z0-9_-")]];
const auto family = rule<struct FamilyRule, std::string>("family") =
    x3::lexeme[x3::raw[(x3::lit("ip6") | "ip") >> !x3::char_("A-Za-z0-9_-")]];
const auto ct = rule<struct CtRule, Ct>("ct") = kw("ct") >> -direction[into(&Ct::direction)] >> -family[into(&Ct::family)] >>
                                                identifier[into(&Ct::key)] >> check([](const Ct& c) {
                                                  return c.direction.empty() ? is_ct_key(c.key) : is_ct_direction_key(c.key);
                                                });

const auto fib_input = rule<struct FibInputRule, std::string>("fib input") = identifier[([](auto& context) {
  x3::_pass(context) = is_fib_input(x3::_attr(context));
  x3::_val(context) = std::move(x3::_attr(context));
})];
const auto fib_result = rule<struct FibResultRule, std::string>("fib result") =
    x3::lexeme[x3::raw[(x3::lit("type") | "oifname" | "oif" | "check") >> !x3::char_("A-Za-z0-9_-")]];
const auto fib = rule<struct FibRule, Fib>("fib") = kw("fib") >>
                                                    (fib_input[append(&Fib::inputs)] % '.') >> fib_result[into(&Fib::result)];

const auto rt_key = rule<struct RtKeyRule, std::string>("rt key") =
    x3::lexeme[x3::raw[(x3::lit("classid") | "nexthop" | "mtu" | "ipsec") >> !x3::char_("A-Za-z0-9_-")]];
const auto rt = rule<struct RtRule, Rt>("rt") = kw("rt") >> -family[into(&Rt::family)] >> rt_key[into(&Rt::key)];

const auto socket_key = rule<struct SocketKeyRule, std::string>("socket key") =
    x3::lexeme[x3::raw[(x3::lit("transparent") | "mark" | "wildcard" | "cgroupv2") >> !x3::char_("A-Za-z0-9_-")]];
const auto socket_ = rule<struct SocketRule, Socket>("socket") =
    kw("socket") >> socket_key[into(&Socket::key)] >>
    -(kw("level") >> x3::uint_[([](auto& context) { x3::_val(context).level = x3::_attr(context); })]);

}  // namespace

// The second half, in selector_other_grammar.cpp.
bool parse_other_selector(Position& first, Position last, Expression& out);

bool parse_simple_selector(Position& first, Position last, Expression& out) {
  static const auto any = x3::rule<struct SimpleSelectorRule, Expression>{"selector"} =
      meta[as_node] | ct[as_node] | rt[as_node] | payload[as_node] | raw_payload[as_node] | fib[as_node] | socket_[as_node];
  // "tcp option …" and the like start with the name of a protocol, so they come first.
  return parse_other_selector(first, last, out) || run_grammar(first, last, any, out);
}

}  // namespace egt::parsers::nft
