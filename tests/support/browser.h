// Headless Chromium, driven as its user would: keys and clicks are real ones, not events that a script makes up.
// (Its DevTools protocol over a pipe: chromedevtools.github.io/devtools-protocol.)
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/run.h"

namespace egt::testing {

class Browser {
 public:
  static bool is_there();

  Browser();  // throws where it does not start
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  struct Look {
    int width = 1400, height = 900;
    bool dark = false, printed = false;  // as on paper
  };
  void look(const Look& look);
  // Goes there and waits until it is loaded. `before`: a script that runs before those of the page.
  void open(const std::string& url, const std::string& before = {});
  // Does what leads to another page, and waits until that one is loaded.
  void follow(const std::function<void()>& lead);
  // The value of an expression; throws what the script throws.
  nlohmann::json value(const std::string& expression);
  bool is_true(const std::string& expression) { return value(expression) == true; }

  // "Tab", "Enter", "Escape", " ", "j"
  void press(const std::string& key, int times = 1);
  void press_with_shift(const std::string& key);
  void paste();  // Ctrl+V
  void type(const std::string& text);
  void click(const std::string& selector);  // in the middle of the first such element, which is scrolled to
  std::string print();                      // PDF
  std::string picture();                    // PNG, of the whole page up to 4000 pixels

  // What the console has shown, and what failed to load, since the page was opened.
  const std::vector<std::string>& messages() const { return messages_; }
  // The same, once nothing is pending.
  const std::vector<std::string>& settled_messages();

 private:
  nlohmann::json call(const std::string& method, nlohmann::json parameters = nlohmann::json::object());
  nlohmann::json receive();  // the next message
  void note(const nlohmann::json& event);
  void go_to(const std::string& url);
  void key(const std::string& type, const std::string& key, int modifiers);

  TemporaryDirectory profile_;
  pid_t process_ = -1;
  int to_ = -1, from_ = -1;
  std::string received_, session_, before_;
  int last_call_ = 0;
  bool loaded_ = false;
  std::vector<std::string> messages_;
};

}  // namespace egt::testing
