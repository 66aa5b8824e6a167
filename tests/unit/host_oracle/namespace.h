// A network namespace of the running kernel, to ask it what it does with the same rules and routes.
#pragma once

#include <string>

namespace egt::test {

struct Output {
  int status = 0;
  std::string text;
};
Output run(const std::string& command);

class Namespace {
 public:
  Namespace();
  ~Namespace();
  Namespace(const Namespace&) = delete;
  Namespace& operator=(const Namespace&) = delete;

  bool usable() const { return usable_; }
  Output exec(const std::string& command) const;
  // Lines for `ip -force -batch -`; true when each was accepted.
  bool ip_batch(const std::string& family, const std::string& lines) const;

 private:
  std::string name_;
  bool usable_ = false;
};

}  // namespace egt::test
