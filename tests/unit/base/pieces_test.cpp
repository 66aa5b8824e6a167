// Sequences that are read piece by piece (egtrace/base/pieces.h).
#include "egtrace/base/pieces.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace egt {
namespace {

constexpr std::size_t kPiece = Pieces<int>::kPiece;

std::vector<int> numbers(std::size_t from, std::size_t count) {
  std::vector<int> all(count);
  std::iota(all.begin(), all.end(), static_cast<int>(from));
  return all;
}

// The numbers below `size`; which pieces were read is noted in `read`.
Pieces<int> read_later(std::size_t size, std::multiset<std::size_t>& read) {
  return Pieces<int>::read_by(size, [size, &read](std::size_t piece) {
    read.insert(piece);
    return Pieces<int>::Piece{numbers(piece * kPiece, std::min(kPiece, size - piece * kPiece)), nullptr};
  });
}

std::vector<int> all_of(const Pieces<int>& pieces) { return {pieces.begin(), pieces.end()}; }

TEST(Pieces, ReadWhatIsAskedForAlone) {
  std::multiset<std::size_t> read;
  const Pieces<int> pieces = read_later(3 * kPiece + 5, read);
  EXPECT_EQ(pieces.size(), 3 * kPiece + 5);
  EXPECT_FALSE(pieces.empty());
  EXPECT_TRUE(read.empty());
  const int* const one = &pieces[kPiece + 3];
  EXPECT_EQ(*one, static_cast<int>(kPiece) + 3);
  EXPECT_EQ(pieces[3 * kPiece + 4], static_cast<int>(3 * kPiece) + 4);
  EXPECT_EQ(read, (std::multiset<std::size_t>{1, 3}));
  EXPECT_EQ(all_of(pieces), numbers(0, 3 * kPiece + 5));
  EXPECT_EQ(&pieces[kPiece + 3], one);
  EXPECT_EQ(read, (std::multiset<std::size_t>{0, 1, 2, 3}));
}

TEST(Pieces, OfEverySizeAreGoneThroughToTheirEnd) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, kPiece - 1, kPiece, kPiece + 1, 2 * kPiece}) {
    std::multiset<std::size_t> read;
    EXPECT_EQ(all_of(read_later(size, read)), numbers(0, size));
    EXPECT_EQ(read.size(), (size + kPiece - 1) / kPiece);
    EXPECT_EQ(all_of(Pieces<int>(numbers(0, size))), numbers(0, size));
  }
}

TEST(Pieces, WhatIsChangedIsNoOnesElse) {
  std::multiset<std::size_t> read;
  Pieces<int> pieces = read_later(kPiece + 1, read);
  const Pieces<int> copy = pieces;
  pieces.edit().push_back(-1);
  EXPECT_EQ(pieces.size(), kPiece + 2);
  EXPECT_EQ(pieces[kPiece + 1], -1);
  EXPECT_EQ(all_of(copy), numbers(0, kPiece + 1));
  EXPECT_EQ(read.size(), 2U);
  pieces.edit().pop_back();
  EXPECT_EQ(all_of(pieces), numbers(0, kPiece + 1));
}

TEST(Pieces, AreReadOnceForAllThreads) {
  std::atomic<int> reads = 0;
  const auto pieces = Pieces<int>::read_by(kPiece, [&reads](std::size_t) {
    ++reads;
    return Pieces<int>::Piece{numbers(0, kPiece), nullptr};
  });
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { EXPECT_EQ(pieces[5], 5); });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(reads, 1);
}

TEST(Pieces, WhereReadingFailsTheNextOneTriesAgain) {
  int reads = 0;
  const auto pieces = Pieces<int>::read_by(1, [&reads](std::size_t) {
    if (++reads == 1) throw std::runtime_error("damaged");
    return Pieces<int>::Piece{{reads}, nullptr};
  });
  EXPECT_THROW(pieces.front(), std::runtime_error);
  EXPECT_EQ(pieces.front(), 2);
}

}  // namespace
}  // namespace egt
