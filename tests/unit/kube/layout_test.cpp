#include "kube/layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace egt::parsers::kube {
namespace {

// Every line of `text`, read and printed; and what the lines are: n(ode), c(ontinuation), #, m(arker), blank.
std::pair<std::string, std::string> round_trip(std::string_view text) {
  std::string printed, kinds;
  LayoutReader reader;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const LayoutLine line = reader.read(text.substr(0, end));
    printed += print(line) + "\n";
    kinds += " #mnc"[static_cast<std::size_t>(line.kind)];
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {printed, kinds};
}

void expect_back(const std::string& text, const std::string& kinds) {
  const auto [printed, seen] = round_trip(text);
  EXPECT_EQ(text, printed);
  EXPECT_EQ(kinds, seen);
}

TEST(KubeLayout, BlockScalarsEndWithTheirIndentation) {
  expect_back("data:\n  script: |-\n    a: b\n\n      # no comment\n  other: x\n", "nnc cn");
  expect_back("- |\n  text\n- key: >\n    more\n  next: 1\n", "ncncn");
}

TEST(KubeLayout, ScalarsOfSeveralLines) {
  expect_back("message: this goes\n  on here\nreason: 'quoted\n\n  too: ''x'''\nlast: \"a \\\n  b\"\n", "ncnccnc");
}

TEST(KubeLayout, Styles) {
  expect_back("---\n# head\n- a: {x: 1, y: [2]}\n  'b''s': \"tab\\t \\u00e9\"\n-   - deep:   # why\n    - 10.0.0.1:80\n...\n",
              "m#nnnnm");
}

TEST(KubeLayout, Json) {
  expect_back(
      "{\n    \"items\": [\n        {\n            \"a: b\": \"x, \\\"y\\\"\",\n            \"n\": 1.50,\n"
      "            \"e\": {}\n        }\n    ]\n}\n",
      "nnnnnnnnn");
  LayoutReader reader;
  LayoutLine line = reader.read("    \"a: b\": \"x, \\\"y\\\"\",");
  ASSERT_TRUE(line.key && line.value);
  EXPECT_EQ(line.key->value, "a: b");
  EXPECT_EQ(line.value->value, "x, \"y\"");
  EXPECT_EQ(line.tail, ",");
}

}  // namespace
}  // namespace egt::parsers::kube
