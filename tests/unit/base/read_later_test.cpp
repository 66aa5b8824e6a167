// What is read when somebody first asks for it (egtrace/base/read_later.h).
#include "egtrace/base/read_later.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace egt {
namespace {

TEST(ReadLater, ReadsOnceForAllThreadsAndCopies) {
  std::atomic<int> reads = 0;
  const auto later = ReadLater<std::string>::by([&reads] { return ++reads, std::string("read"); });
  const ReadLater<std::string> copy = later;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { EXPECT_EQ(later.get(), "read"); });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(&copy.get(), &later.get());
  EXPECT_EQ(reads, 1);
}

TEST(ReadLater, WhatIsChangedIsNoOnesElse) {
  ReadLater<std::string> later = ReadLater<std::string>::by([] { return std::string("read"); });
  const ReadLater<std::string> copy = later;
  later.edit() += " and changed";
  EXPECT_EQ(later.get(), "read and changed");
  EXPECT_EQ(copy.get(), "read");
  ReadLater<std::string> known = std::string("there");
  known.edit() += " already";
  EXPECT_EQ(known.get(), "there already");
}

TEST(ReadLater, WhereReadingFailsTheNextOneTriesAgain) {
  int reads = 0;
  const auto later = ReadLater<int>::by([&reads] { return ++reads == 1 ? throw std::runtime_error("damaged") : reads; });
  EXPECT_THROW(later.get(), std::runtime_error);
  EXPECT_EQ(later.get(), 2);
}

}  // namespace
}  // namespace egt
