// Matches of logical flows as trees (Logical_Flow:match in ovn-sb(5)): symbols, constants, comparisons.
//
// A tree is what OVN understands, not what was written: `x == {a, b}` is a disjunction, `!x` is pushed down to the
// comparisons, nested junctions of one kind are one. Sets keep their name and their shared values, because a policy's
// address set may have ten thousand members.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "egtrace/base/u128.h"
#include "egtrace/packet/flow_key.h"

namespace egt::ovn {

// What comparisons make sense for a symbol.
enum class Level : std::uint8_t {
  nominal,  // == and != only, and only so that the field itself must be equal
  boolean,  // predicates: == and !=
  ordinal,  // all of them
};

// Where a symbol may be assigned to: bits.
namespace writable {
constexpr std::uint8_t nowhere = 0, by_default = 1, in_ct_commit = 2, everywhere = 3;
}

struct Expression;

// A name of the language: a packet field, a part of another symbol, a predicate, or a field that only OVN knows.
struct Symbol {
  std::string name;
  std::uint16_t bits = 0;  // 0: a string (inport, outport), whose field holds the port's key
  Level level = Level::ordinal;
  std::uint8_t writable = writable::nowhere;
  bool is_ovn_field = false;  // icmp4.frag_mtu and the like: no bits in the packet that is traced
  std::optional<FieldId> field;
  const Symbol* parent = nullptr;  // of a part
  std::uint16_t first_in_parent = 0;
  std::string predicate;      // what a predicate stands for, as text
  std::string prerequisites;  // what must hold before the symbol means anything, as text

  // Both as trees without predicates and prerequisites of their own; null where the text cannot be understood, and then
  // the error has the reason.
  std::shared_ptr<const Expression> predicate_tree, prerequisite_tree;
  std::string predicate_error, prerequisite_error;

  bool is_string() const { return bits == 0; }
};

// A symbol, or some of its bits.
struct FieldRef {
  const Symbol* symbol = nullptr;
  std::uint16_t first = 0, bits = 0;  // bits is 0 for strings

  bool is_whole() const { return first == 0 && bits == symbol->bits; }
  // The packet's field behind it. Of a string: the whole register.
  Subfield subfield() const;
};

// How a number was written.
enum class ConstantFormat : std::uint8_t { decimal, hexadecimal, ipv4, ipv6, ethernet };

struct Constant {
  U128 value = 0, mask = 0;  // mask counts only where `masked`
  bool masked = false;
  ConstantFormat format = ConstantFormat::hexadecimal;
  std::string text;          // of strings
  std::uint16_t excess = 0;  // its width where more than 128 bits were written; the value is cut
};

struct ConstantSet {
  bool strings = false;
  bool in_curlies = false;
  std::vector<Constant> values;
};

enum class Relop : std::uint8_t { eq, ne, lt, le, gt, ge };

struct Comparison {
  const Symbol* symbol = nullptr;
  Relop relop = Relop::eq;
  U128 value = 0, mask = 0;  // at the place of the bits that are compared
  std::string text;          // of strings
};

// An address set or port group with its values ready for looking up.
class ValueSet {
 public:
  ValueSet(std::string name, ConstantSet constants);
  const std::string& name() const { return name_; }
  const ConstantSet& constants() const { return constants_; }
  bool contains(U128 value) const;
  // The widest constant, in bits, as type checks count it.
  unsigned width() const { return width_; }

 private:
  std::string name_;
  ConstantSet constants_;
  std::vector<U128> exact_;                    // sorted
  std::vector<std::pair<U128, U128>> masked_;  // mask, values under it: sorted
  unsigned width_ = 0;
};

// `symbol == $set`: one of its values, or with `negated` none of them. `shift` is where the value begins in the symbol.
struct Membership {
  const Symbol* symbol = nullptr;
  std::shared_ptr<const ValueSet> set;
  bool negated = false;
  std::uint16_t shift = 0, bits = 0;  // of numbers
};

struct ChassisResident {
  std::string port;
  bool negated = false;
};

struct Junction {
  bool conjunction = true;  // all of the terms, else one of them
  std::vector<Expression> terms;
};

struct Expression {
  std::variant<bool, Comparison, Membership, ChassisResident, Junction> node = true;

  bool is_constant(bool value) const { return std::holds_alternative<bool>(node) && std::get<bool>(node) == value; }
};

// Joins two trees; junctions of the same kind become one. An absent one counts as nothing.
Expression combine(bool conjunction, Expression a, Expression b);
void negate(Expression& e);
// Takes constants out of junctions and replaces junctions of one term by it, at the top only.
void fix(Expression& e);
// Whether a port's chassis is this one, where it is known.
using Residence = std::function<std::optional<bool>(std::string_view port)>;
// What `x != 5` becomes (expr_simplify_ne() in lib/expr.c): for each bit that it is the other way, and, since 26.03 and the last
// releases of the series before, that the bits above it are the same.
enum class Inequality : std::uint8_t { bits, prefixes };
// Leaves equalities only, and questions for a chassis that `is_resident` does not answer.
Expression simplify(Expression e, const Residence& is_resident = {}, Inequality inequality = Inequality::prefixes);
// The only symbol that all comparisons of a tree are over; null when there are several or none.
const Symbol* unique_symbol(const Expression& e);

// Canonical text, as OVN prints trees ("ip.proto == 0x6 && (eth.type == 0x800 || eth.type == 0x86dd)").
std::string to_string(const Expression& e);
std::string to_string(const FieldRef& f);
std::string to_string(const Constant& c, bool is_string);
std::string to_string(const ConstantSet& set);
std::string_view to_string(Relop relop);
// A string in double quotes with the escapes of JSON.
std::string quoted(std::string_view text);
// An address as inet_ntop(3) and ovs print it.
std::string ipv4_text(std::uint32_t address);
// The least number of bits that hold a constant: of its mask, of its format, or of its value.
unsigned width_of(const Constant& c);

}  // namespace egt::ovn
