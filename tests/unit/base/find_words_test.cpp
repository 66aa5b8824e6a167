// Words in long texts: the places that a search character by character finds.
#include "egtrace/base/find_words.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace egt {
namespace {

TEST(FindWords, FindsWhatAPlainSearchFinds) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string text(random() % 200, 'a');
    for (char& c : text) c = static_cast<char>('a' + random() % 3);
    std::string word(random() % 5, 'a');
    for (char& c : word) c = static_cast<char>('a' + random() % 3);
    for (std::size_t from = 0; from <= text.size() + 1; ++from)
      ASSERT_EQ(find_word(text, word, from), text.find(word, from)) << text << " " << word << " " << from;
  }
}

TEST(FindWords, FindsAnyOfSeveral) {
  std::mt19937 random(8);
  for (int round = 0; round < 2000; ++round) {
    std::string text(random() % 300, 'a');
    for (char& c : text) c = static_cast<char>('a' + random() % 4);
    const std::string words[] = {"abca", "dd" + std::string(random() % 4, 'a'), "bbcbb"};
    const std::string_view views[] = {words[0], words[1], words[2]};
    bool any = false;
    for (const std::string& word : words) any |= text.find(word) != std::string::npos;
    ASSERT_EQ(has_any_word(text, views), any) << text;
  }
  EXPECT_FALSE(has_any_word("abc", {}));
}

TEST(FindWords, LooksAtNothingBehindTheText) {
  const std::string text = "0123456789abcdefpsk";
  EXPECT_EQ(find_word(std::string_view(text).substr(0, 18), "psk"), std::string_view::npos);
  EXPECT_EQ(find_word(text, "psk"), 16U);
}

}  // namespace
}  // namespace egt
