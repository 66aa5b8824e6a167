// Actions: text → typed list (lib/actions.c of OVN). One method an action; the lexer keeps the first error, so methods
// go on with what they have and the caller looks once.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "egtrace/parsers/ovn_lang.h"
#include "ovn_lang/expression_parser.h"
#include "ovn_lang/lexer.h"

namespace egt::parsers::ovn_lang {

class ActionParser {
 public:
  ActionParser(Lexer& lexer, const SymbolTable& symbols, const ActionContext& context)
      : lexer_(lexer),
        symbols_(symbols),
        environment_{&symbols, nullptr, nullptr, 0},
        fields_(lexer, environment_),
        context_(context) {}

  void parse_all(ovn::ActionList& out) { parse_list(out, TokenType::end); }
  std::optional<ovn::Expression> take_prerequisites() { return std::move(prerequisites_); }

 private:
  using Result = ovn::ResultAction::Kind;

  // action_parser.cpp
  void parse_list(ovn::ActionList& out, TokenType sentinel);
  bool parse_action(ovn::ActionList& out);
  bool parse_word(std::string_view word, ovn::ActionList& out);
  bool parse_plain(std::string_view word, ovn::ActionList& out);
  bool parse_ct_word(std::string_view word, ovn::ActionList& out);
  bool parse_nested_word(std::string_view word, ovn::ActionList& out);
  void parse_block(ovn::ActionList& out, std::string_view prerequisite, std::uint8_t scope);
  void parse_next(ovn::ActionList& out);
  void parse_next_arguments(ovn::NextTable& next);

  // actions_assign.cpp
  void parse_assignment(ovn::ActionList& out);
  bool parse_function(const ovn::FieldRef& to, ovn::ActionList& out);
  void parse_load(const ovn::FieldRef& to, ovn::ActionList& out);
  void parse_move(const ovn::FieldRef& to, bool exchange, ovn::ActionList& out);
  void parse_push_pop(bool push, ovn::ActionList& out);
  void parse_result(const ovn::FieldRef& to, Result kind, std::string_view name, unsigned bits, ovn::ActionList& out);
  void parse_select(const ovn::FieldRef& to, ovn::ActionList& out);
  bool parse_select_members(ovn::Select& select);
  void parse_lookup(const ovn::FieldRef& to, bool ipv6, bool with_mac, ovn::ActionList& out);
  void parse_get_fdb(const ovn::FieldRef& to, bool remote, ovn::ActionList& out);
  void parse_lookup_fdb(const ovn::FieldRef& to, ovn::ActionList& out);
  void parse_check_length(const ovn::FieldRef& to, ovn::ActionList& out);
  void parse_check_evpn(const ovn::FieldRef& to, ovn::ActionList& out);
  void parse_dhcp_relay(const ovn::FieldRef& to, bool response, ovn::ActionList& out);

  // actions_ct.cpp
  void parse_ct_next(ovn::ActionList& out);
  void parse_ct_commit(ovn::ActionList& out);
  void parse_ct_commit_argument(ovn::CtCommit& commit);
  void parse_ct_commit_to_zone(bool nat, ovn::ActionList& out);
  void parse_ct_nat(std::string_view name, bool destination, bool in_czone, ovn::ActionList& out);
  void parse_port_range(ovn::CtNat& nat);
  void parse_ct_lb(ovn::CtLb::Kind kind, ovn::ActionList& out);
  bool parse_backend(ovn::CtLb::Kind kind, ovn::LbBackend& backend);
  void parse_lb_arguments(ovn::CtLb& lb);
  bool not_in_last_table(std::string_view name);

  // actions_options.cpp
  void parse_put_options(const ovn::FieldRef& to, ovn::PutOptions::Kind kind, ovn::ActionList& out);
  void parse_option(ovn::NamedOption& option, ovn::PutOptions::Kind kind);
  void check_nd_ra(const ovn::PutOptions& options);
  void parse_trigger_event(ovn::ActionList& out);
  void check_event_option(const ovn::NamedOption& option);

  // actions_arguments.cpp
  bool parse_with_arguments(std::string_view word, ovn::ActionList& out);
  void parse_get_binding(bool ipv6, ovn::ActionList& out);
  void parse_put_binding(bool ipv6, ovn::ActionList& out);
  void parse_put_fdb(ovn::ActionList& out);
  void parse_set_queue(ovn::ActionList& out);
  void parse_set_meter(ovn::ActionList& out);
  void parse_log(ovn::ActionList& out);
  void parse_log_argument(ovn::Log& log, bool& has_verdict);
  void parse_bind_vport(ovn::ActionList& out);
  void parse_service_check(ovn::ActionList& out);
  void parse_forward_group(ovn::ActionList& out);
  void parse_ecmp_next_hop(ovn::ActionList& out);
  void parse_lb_affinity(ovn::ActionList& out);
  void parse_affinity_endpoint(std::string_view name, IpAddr& address, std::uint16_t& port);
  void parse_sample(ovn::ActionList& out);
  void parse_sample_argument(ovn::Sample& sample);
  void parse_mirror(ovn::ActionList& out);

  // Shared.
  std::optional<ovn::FieldRef> parse_target();  // a field that may be assigned to, with its prerequisites
  // A field of this width; 0 is a string.
  ovn::FieldRef parse_field_of(unsigned bits, bool to_write = false);
  bool check_field(const ovn::FieldRef& f, unsigned bits, bool to_write);
  bool parse_u16(std::uint16_t& value, std::string_view what);
  bool parse_bool(bool& value);
  bool force_parameter(std::string_view name);  // NAME =
  void add_prerequisite(std::string_view symbol);
  void add_prerequisite(ovn::Expression e);
  std::uint16_t table_after() const { return static_cast<std::uint16_t>(context_.table + 1); }
  std::uint16_t tables(ovn::Pipeline p) const {
    return p == ovn::Pipeline::ingress ? context_.dialect.ingress_tables : context_.dialect.egress_tables;
  }

  Lexer& lexer_;
  const SymbolTable& symbols_;
  Environment environment_;
  ExpressionParser fields_;
  const ActionContext& context_;
  std::optional<ovn::Expression> prerequisites_;
  std::uint8_t scope_ = ovn::writable::by_default;
  unsigned depth_ = 0;
};

}  // namespace egt::parsers::ovn_lang
