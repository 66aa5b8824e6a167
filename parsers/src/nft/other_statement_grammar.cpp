// Grammar of the remaining statements: log, reject, queue, set updates, meters, synproxy, xt and flow tables.
#include "nft/x3.h"

namespace egt::parsers::nft {

bool parse_other_statement(Position& first, Position last, Statement& out);

namespace {

template <class Tag, class Attribute>
x3::rule<Tag, Attribute> rule(const char* name) {
  return {name};
}

using Option = std::pair<std::string, std::string>;
const auto first_of_pair = [](auto& context) { x3::_val(context).first = std::move(x3::_attr(context)); };
const auto second_of_pair = [](auto& context) { x3::_val(context).second = std::move(x3::_attr(context)); };
const auto simple_value = rule<struct SimpleValueRule, std::string>("value") =
    quoted_raw | x3::lexeme[x3::raw[+x3::char_("A-Za-z0-9_")]];
// "tcp sequence,options", "all"
const auto log_flags = rule<struct LogFlagsRule, std::string>("flags") =
    x3::lexeme[x3::raw[((x3::lit("tcp ") | "ip ") >> (+x3::char_("a-z") % ',')) | +x3::char_("a-z")]];
const auto log_key = rule<struct LogKeyRule, std::string>("option") =
    x3::lexeme[x3::raw[(x3::lit("prefix") | "level" | "group" | "snaplen" | "queue-threshold") >> !x3::char_("A-Za-z0-9_-")]];
const auto flags_key = rule<struct FlagsKeyRule, std::string>("flags") = x3::lexeme[x3::raw[x3::lit("flags") >> &x3::lit(' ')]];
const auto log_option = rule<struct LogOptionRule, Option>("log option") =
    (log_key[first_of_pair] >> simple_value[second_of_pair]) | (flags_key[first_of_pair] >> log_flags[second_of_pair]);
const auto log = rule<struct LogRule, Log>("log") = kw("log") >> x3::eps >> *log_option[append(&Log::options)];

const auto reject_with = rule<struct RejectWithRule, std::string>("reject reason") =
    x3::lexeme[x3::raw[x3::lit("tcp reset") |
                       ((x3::lit("icmpv6") | "icmpx" | "icmp") >> -x3::lit(" type") >> ' ' >> +x3::char_("A-Za-z0-9-"))]];
const auto reject = rule<struct RejectRule, Reject>("reject") = kw("reject") >> x3::eps >>
                                                                -(kw("with") >> reject_with[into(&Reject::with)]);

const auto notrack = rule<struct NotrackRule, Notrack>("notrack") = kw("notrack") >> x3::eps >> x3::attr(Notrack{});

const auto flow_word = rule<struct FlowWordRule, std::string>("flow") =
    x3::lexeme[x3::raw[(x3::lit("add") | "offload") >> !x3::char_("A-Za-z0-9_-")]];
const auto flow = rule<struct FlowRule, FlowAdd>("flow") =
    kw("flow") >> flow_word[into(&FlowAdd::word)] >> '@' >> name_word[into(&FlowAdd::table)];

const auto queue_flag = rule<struct QueueFlagRule, std::string>("flag") =
    x3::lexeme[x3::raw[(x3::lit("bypass") | "fanout") >> !x3::char_("A-Za-z0-9_-")]];
const auto queue_word = rule<struct QueueWordRule, std::string>("to") =
    x3::lexeme[x3::raw[(x3::lit("to") | "num") >> !x3::char_("A-Za-z0-9_-")]];
const auto queue = rule<struct QueueRule, Queue>("queue") = kw("queue") >> x3::eps >>
                                                            -(kw("flags") >> (queue_flag[append(&Queue::flags)] % ',')) >>
                                                            -(queue_word[into(&Queue::word)] >> value_[append(&Queue::to)]);

const auto set_op = rule<struct SetOpRule, std::string>("operation") =
    x3::lexeme[x3::raw[(x3::lit("add") | "update" | "delete") >> !x3::char_("A-Za-z0-9_-")]];
const auto set_update = rule<struct SetUpdateRule, SetUpdate>("set update") =
    set_op[into(&SetUpdate::op)] >> '@' >> name_word[into(&SetUpdate::set)] >> '{' >>
    dynamic_element_[append(&SetUpdate::element)] >> '}';

const auto meter = rule<struct MeterRule, Meter>("meter") =
    kw("meter") >> name_word[into(&Meter::name)] >>
    -(kw("size") >> number[([](auto& context) { x3::_val(context).size = x3::_attr(context); })]) >>
    '{' >> dynamic_element_[append(&Meter::element)] >> '}';

const auto synproxy_option = rule<struct SynproxyOptionRule, std::string>("option") =
    x3::lexeme[x3::raw[(x3::lit("mss ") >> +digit) | (x3::lit("wscale ") >> +digit) | x3::lit("timestamp") | "sack-perm"]];
const auto synproxy = rule<struct SynproxyRule, Synproxy>("synproxy") = kw("synproxy") >> x3::eps >>
                                                                        ((kw("name") >> value_[append(&Synproxy::name)]) |
                                                                         *synproxy_option[append(&Synproxy::options)]);

const auto xt_kind = rule<struct XtKindRule, std::string>("xt kind") =
    x3::lexeme[x3::raw[(x3::lit("match") | "target" | "watcher") >> !x3::char_("A-Za-z0-9_-")]];
// Without quotes up to nft 1.0.6.
const auto xt = rule<struct XtRule, Xt>("xt") = kw("xt") >> xt_kind[into(&Xt::kind)] >> simple_value[into(&Xt::name)];

const auto option_text = rule<struct OptionTextRule, std::string>("option") =
    x3::lexeme[x3::raw[x3::lit("tcp option ") >> +x3::char_("a-z0-9-")]];
const auto reset = rule<struct ResetRule, ResetOption>("reset") = kw("reset") >> option_text[into(&ResetOption::option)];

}  // namespace

bool parse_other_statement(Position& first, Position last, Statement& out) {
  static const auto rare = x3::rule<struct RareStatementRule, Statement>{"statement"} =
      flow[as_node] | meter[as_node] | synproxy[as_node] | xt[as_node] | reset[as_node];
  static const auto any = x3::rule<struct OtherStatementRule, Statement>{"statement"} =
      log[as_node] | reject[as_node] | notrack[as_node] | queue[as_node] | set_update[as_node];
  return run_grammar(first, last, any, out) || run_grammar(first, last, rare, out);
}

}  // namespace egt::parsers::nft
