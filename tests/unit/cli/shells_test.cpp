// Real shells complete names of a snapshot whose names are commands: what is completed and then entered runs none of them.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/run.h"
#include "support/terminal.h"

namespace {

namespace fs = std::filesystem;
using egt::testing::read_file;
using egt::testing::TemporaryDirectory;
using egt::testing::Terminal;

struct Shell {
  const char* name;
  std::vector<std::string> command;
  const char* begin;  // what makes it complete
};

const std::vector<Shell> kShells = {
    {"bash", {"bash", "--norc", "-i"}, "source <(egtrace completion bash)"},
    {"zsh", {"zsh", "-f", "-i"}, "autoload -U compinit; compinit -u -D; source <(egtrace completion zsh)"},
    {"fish", {"fish", "--no-config", "-i"}, "egtrace completion fish | source"},
};

// As GoogleTest shows the parameter of a test that fails.
void PrintTo(const Shell& shell, std::ostream* out) { *out << shell.name; }

std::string pod(const std::string& name_space, const std::string& name) {
  return "---\napiVersion: v1\nkind: Pod\nmetadata: {name: '" + name + "', namespace: " + name_space +
         "}\nspec: {nodeName: w1}\nstatus: {podIP: 10.0.0.4}\n";
}

// A folder with a snapshot, files with names that shells would run, and an egtrace that notes how it is called.
class AtAShell : public ::testing::TestWithParam<Shell> {
 protected:
  void SetUp() override {
    if (egt::testing::run({"sh", "-c", std::string("command -v ") + GetParam().name}).status != 0)
      GTEST_SKIP() << "no " << GetParam().name;
    home_.file("dumps/pods.yaml", pod("hostile", "$(touch executed)") + pod("quoted", "`touch executed`") +
                                      pod("split", "x;touch executed;") + pod("good", "cart-7d4b"));
    home_.file("dumps/w1/ip_rule", "0:\tfrom all lookup local\n");
    home_.file("name/$(touch executed)", "");
    const std::string program = home_.file("bin/egtrace", "#!/bin/sh\n[ \"$1\" = completion ] && exec " EGTRACE_BINARY
                                                          " \"$@\"\n"
                                                          "printf '<%s>' \"$@\" >> '" +
                                                              home_.path() + "/calls'\n");
    fs::permissions(program, fs::perms::owner_all);
  }

  // Enters `line` after completing its end, which a pod's or a file's name belongs to.
  std::string complete_and_enter(const std::string& line) {
    const Shell& shell = GetParam();
    Terminal terminal(shell.command, home_.path(),
                      {"PATH=" + home_.path() + "/bin:/usr/bin:/bin", "TERM=vt100", "HOME=" + home_.path(), "PS1=> "});
    terminal.type(std::string(shell.begin) + "\recho read''y\r");
    EXPECT_TRUE(terminal.wait_for("ready")) << terminal.shown();
    terminal.type(line + "\t");
    terminal.type("\recho do''ne\r");
    EXPECT_TRUE(terminal.wait_for("done")) << terminal.shown();
    shown_ = terminal.shown();
    return read_file(home_.path() + "/calls");
  }

  bool executed() const { return fs::exists(home_.path() + "/executed"); }

  TemporaryDirectory home_;
  std::string shown_;
};

TEST_P(AtAShell, CompletesANameOfTheSnapshot) {
  EXPECT_EQ("<explain><dumps><--from><good/cart-7d4b>", complete_and_enter("egtrace explain dumps --from good/c")) << shown_;
}

TEST_P(AtAShell, ExecutesNoNameOfTheSnapshot) {
  for (const char* begun : {"hostile/", "quoted/", "split/"}) {
    complete_and_enter(std::string("egtrace explain dumps --from ") + begun);
    EXPECT_FALSE(executed()) << shown_;
  }
}

TEST_P(AtAShell, QuotesNamesOfFiles) {
  EXPECT_EQ("<inspect><name/$(touch executed)>", complete_and_enter("egtrace inspect name/")) << shown_;
  EXPECT_FALSE(executed()) << shown_;
}

INSTANTIATE_TEST_SUITE_P(Each, AtAShell, ::testing::ValuesIn(kShells), [](const auto& i) { return i.param.name; });

}  // namespace
