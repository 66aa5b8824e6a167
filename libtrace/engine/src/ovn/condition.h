// A match as one datapath sees it: ports are keys, conditions of chassis are decided, constants folded.
#pragma once

#include <functional>
#include <memory>
#include <variant>
#include <vector>

#include "egtrace/engine/logical_network.h"

namespace egt::engine {

struct Condition {
  struct Compare {
    FieldId field;
    ovn::Relop relop;
    U128 value, mask;
    // Of equality in a field that lies within one word of the packet, which most comparisons are: that word's bits.
    static constexpr std::uint8_t kNoWord = 0xff;
    std::uint8_t word = kNoWord;
    std::uint64_t word_mask = 0, word_value = 0;

    Compare(FieldId of, ovn::Relop how, U128 wanted, U128 under);
    bool holds(const FlowKey& packet) const {
      return word != kNoWord ? (packet.word(word) & word_mask) == word_value : holds_by_field(packet);
    }

   private:
    bool holds_by_field(const FlowKey& packet) const;
  };
  struct Member {
    FieldId field;
    std::uint16_t shift, bits;
    bool negated;
    std::shared_ptr<const ovn::ValueSet> set;
  };
  struct PortIn {
    FieldId field;
    const std::vector<std::uint32_t>* keys;  // sorted
  };
  struct Several {
    bool all;
    std::vector<Condition> terms;
  };
  std::variant<bool, Compare, Member, PortIn, Several> node = true;

  bool is(bool value) const { return std::holds_alternative<bool>(node) && std::get<bool>(node) == value; }
  bool holds(const FlowKey& packet) const;
};

class ConditionCompiler {
 public:
  using PortKey = std::function<std::optional<std::uint32_t>(std::string_view)>;
  using GroupKeys = std::function<const std::vector<std::uint32_t>&(const ovn::ValueSet&)>;
  using IsPort = std::function<bool(std::string_view)>;
  ConditionCompiler(PortKey port_key, GroupKeys group_keys, IsPort is_port)
      : port_key_(std::move(port_key)), group_keys_(std::move(group_keys)), is_port_(std::move(is_port)) {}
  Condition compile(const ovn::Expression& e) const;

 private:
  PortKey port_key_;
  GroupKeys group_keys_;
  IsPort is_port_;
};

}  // namespace egt::engine
