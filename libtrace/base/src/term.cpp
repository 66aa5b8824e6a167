#include "egtrace/base/term.h"

#include <fmt/format.h>

#include "egtrace/base/fill.h"

namespace egt {
namespace {

std::string text_of(const Member& one) {
  return one.address ? fmt::format("{} ({})", one.name, one.address->to_string()) : one.name;
}
std::string text_of(const DeviceOf& device) { return fmt::format("{} on {}", device.name, device.node); }

struct Text {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(const std::string& text) const { return text; }
  std::string operator()(std::uint64_t number) const { return std::to_string(number); }
  std::string operator()(const Term::Names& names) const { return fmt::format("{}", fmt::join(names, ", ")); }

  std::string operator()(const Alternatives& names) const { return fmt::format("{}", fmt::join(names.all, " or ")); }

  std::string operator()(const Term::Few& all) const {
    std::string text;
    for (std::size_t i = 0; i < all.size() && i < kNamed; ++i) text += (i == 0 ? "" : ", ") + text_of(all[i]);
    if (all.size() > kNamed) text += fmt::format(" and {} more", all.size() - kNamed);
    return text;
  }

  std::string operator()(const Term::Devices& devices) const {
    std::string text;
    for (const DeviceOf& device : devices) text += (text.empty() ? "" : " and ") + text_of(device);
    return text;
  }

  std::string operator()(const Term::Addresses& addresses) const {
    std::string text;
    for (const AddressOf& a : addresses)
      text += fmt::format("{}{} by {}", text.empty() ? "" : " or ", a.address.to_string(), a.node);
    return text;
  }

  template <class Address>
  std::string operator()(const Address& address) const {
    return address.to_string();
  }
};

// How many a list has; nothing of what is no list.
struct Count {
  std::optional<std::size_t> operator()(const Term::Names& all) const { return all.size(); }
  std::optional<std::size_t> operator()(const Alternatives& all) const { return all.all.size(); }
  std::optional<std::size_t> operator()(const Term::Few& all) const { return all.size(); }
  std::optional<std::size_t> operator()(const Term::Devices& all) const { return all.size(); }
  std::optional<std::size_t> operator()(const Term::Addresses& all) const { return all.size(); }
  template <class Other>
  std::optional<std::size_t> operator()(const Other&) const {
    return std::nullopt;
  }
};

bool is_absent_term(const Term& term) {
  return std::holds_alternative<std::monostate>(term.value()) || std::visit(Count{}, term.value()) == std::size_t{0};
}

std::uint64_t number_of(const Term& term) {
  const auto* number = std::get_if<std::uint64_t>(&term.value());
  return number != nullptr ? *number : std::visit(Count{}, term.value()).value_or(0);
}

// The terms, and behind them those with names.
class NamedTerms : public Named {
 public:
  NamedTerms(const Terms& about, const std::vector<std::pair<std::string_view, Term>>& by_name)
      : about_(about), by_name_(by_name) {}

  std::size_t size() const override { return about_.size(); }
  std::string text(std::size_t index) const override { return std::visit(Text{}, at(index).value()); }
  std::uint64_t number(std::size_t index) const override { return number_of(at(index)); }
  bool is_absent(std::size_t index) const override { return is_absent_term(at(index)); }

  std::optional<std::size_t> find(std::string_view name) const override {
    for (std::size_t i = 0; i < by_name_.size(); ++i)
      if (by_name_[i].first == name) return about_.size() + i;
    return std::nullopt;
  }

 private:
  const Term& at(std::size_t index) const {
    return index < about_.size() ? about_[index] : by_name_[index - about_.size()].second;
  }

  const Terms& about_;
  const std::vector<std::pair<std::string_view, Term>>& by_name_;
};

}  // namespace

std::string fill(std::string_view words, const Terms& about, const std::vector<std::pair<std::string_view, Term>>& by_name) {
  return fill(words, NamedTerms(about, by_name));
}

}  // namespace egt
