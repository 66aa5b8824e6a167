#include "namespace.h"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace egt::test {

Output run(const std::string& command) {
  Output out;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return {-1, ""};
  std::array<char, 4096> buffer;
  while (const std::size_t n = fread(buffer.data(), 1, buffer.size(), pipe)) out.text.append(buffer.data(), n);
  out.status = pclose(pipe);
  return out;
}

Namespace::Namespace() : name_("egt-oracle-" + std::to_string(getpid())) {
  if (geteuid() != 0) return;
  if (run("ip netns add " + name_).status != 0) return;
  usable_ = exec("ip link set lo up").status == 0;
}

Namespace::~Namespace() {
  if (usable_) run("ip netns del " + name_);
}

Output Namespace::exec(const std::string& command) const { return run("ip netns exec " + name_ + " " + command); }

bool Namespace::ip_batch(const std::string& family, const std::string& lines) const {
  const auto path = std::filesystem::temp_directory_path() / (name_ + ".batch");
  std::ofstream(path) << lines;
  const Output out = run("ip -n " + name_ + " " + family + " -batch " + path.string());
  std::filesystem::remove(path);
  if (out.status != 0) fprintf(stderr, "ip -batch: %s\n", out.text.c_str());
  return out.status == 0;
}

}  // namespace egt::test
