#include "ovs_ofctl/flow_chunks.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

#include "egtrace/base/parallel.h"
#include "support/read_ahead.h"

namespace egt::parsers::ofctl {
namespace {

using openflow::FlowRef;

constexpr std::size_t kChunk = std::size_t{2} << 20;  // bytes

struct Chunk {
  std::size_t begin = 0, end = 0;  // of the text; whole lines
  std::size_t thread = 0;          // whose shapes the flows are numbered by
  std::uint32_t lines = 0;
  std::vector<FlowRef> flows;  // lines counted from 0
  struct Left {
    std::size_t before = 0;  // so many flows come first
    std::uint32_t line = 0;
    std::uint64_t offset = 0;
  };
  std::vector<Left> left;  // lines that the scanner did not take
};

std::vector<Chunk> cut(std::string_view text) {
  std::vector<Chunk> chunks;
  for (const std::string_view piece : pieces_of_lines(text, kChunk)) {
    Chunk& c = chunks.emplace_back();
    c.begin = static_cast<std::size_t>(piece.data() - text.data());
    c.end = c.begin + piece.size();
  }
  return chunks;
}

void scan_chunk(std::string_view text, FlowScanner& scanner, Chunk& chunk) {
  constexpr std::size_t kUsualLine = 200;
  chunk.flows.reserve((chunk.end - chunk.begin) / kUsualLine);
  for (std::size_t at = chunk.begin; at < chunk.end; ++chunk.lines) {
    const void* newline = std::memchr(text.data() + at, '\n', chunk.end - at);
    const std::size_t end = newline ? static_cast<std::size_t>(static_cast<const char*>(newline) - text.data()) : chunk.end;
    FlowRef flow;
    if (at <= openflow::kMaxFlowOffset && scan_guarded(scanner, text, at, end, flow)) {
      flow.offset = at & openflow::kMaxFlowOffset;
      flow.line = chunk.lines;
      chunk.flows.push_back(flow);
    } else {
      chunk.left.push_back({chunk.flows.size(), chunk.lines, at});
    }
    at = newline ? end + 1 : chunk.end;
  }
}

// What a thread found out beside its chunks.
struct Scanned {
  std::vector<openflow::MatchShape> shapes;  // by which its chunks number flows
  openflow::OwnedPrefixes prefixes;
};

std::vector<Scanned> scan_all(std::string_view text, unsigned jobs, std::vector<Chunk>& chunks) {
  if (jobs == 0) jobs = std::max(1u, std::thread::hardware_concurrency());
  jobs = static_cast<unsigned>(std::clamp<std::size_t>(chunks.size() / 2, 1, std::min(jobs, 64u)));
  std::vector<Scanned> scanned(jobs);
  std::atomic<std::size_t> next{0};
  const auto work = [&](std::size_t thread) {
    FlowScanner scanner(ActionCheck::understood);
    for (std::size_t i = next++; i < chunks.size(); i = next++) {
      chunks[i].thread = thread;
      scan_chunk(text, scanner, chunks[i]);
    }
    scanned[thread] = {scanner.shapes().all(), scanner.prefixes().take()};
  };
  for_each_index(jobs, jobs, 1, work);
  return scanned;
}

struct ScannedText {
  std::vector<Chunk> chunks;
  std::vector<Scanned> scanned;  // by thread
};

// Puts the chunks one behind the other.
class Joiner {
 public:
  Joiner(const Dump& dump, Report& report, const OtherLine& other) : dump_(dump), report_(report), other_(other) {
    sink_.flows = &batch_.flows;
    sink_.note = [this](std::uint8_t table, openflow::MatchView match) {
      prefixes_.add(table, match);
      openflow::MatchShape shape;
      for (const openflow::MatchWord& w : match) shape.push_back({w.word, w.mask});
      return shapes_.intern(shape.data(), shape.size());
    };
  }

  openflow::FlowBatch join(std::vector<Chunk>& chunks, const std::vector<Scanned>& scanned) {
    std::size_t flows = 0;
    for (const Chunk& c : chunks) flows += c.flows.size() + c.left.size();
    batch_.flows.reserve(flows);
    std::vector<std::vector<std::uint32_t>> numbers(scanned.size());
    std::uint32_t first_line = dump_.first_line;
    for (Chunk& c : chunks) {
      const auto& shapes = scanned[c.thread].shapes;
      std::vector<std::uint32_t>& known = numbers[c.thread];
      known.resize(shapes.size(), kUnknown);
      append(c, shapes, known, first_line);
      first_line += c.lines;
      c = {};
    }
    batch_.shapes = shapes_.all();
    batch_.prefixes = prefixes_.take();
    for (const Scanned& s : scanned) batch_.prefixes.merge(s.prefixes);
    return std::move(batch_);
  }

 private:
  static constexpr std::uint32_t kUnknown = ~std::uint32_t{0};

  void append(const Chunk& c, const std::vector<openflow::MatchShape>& shapes, std::vector<std::uint32_t>& known,
              std::uint32_t first_line) {
    using Offset = std::vector<FlowRef>::difference_type;
    std::vector<FlowRef>& all = batch_.flows;
    std::size_t done = 0;
    const auto up_to = [&](std::size_t end) {
      const auto copied =
          all.insert(all.end(), c.flows.begin() + static_cast<Offset>(done), c.flows.begin() + static_cast<Offset>(end));
      std::for_each(copied, all.end(), [&](FlowRef& flow) {
        std::uint32_t& shape = known[flow.shape];
        if (shape == kUnknown) shape = shapes_.intern(shapes[flow.shape].data(), shapes[flow.shape].size());
        flow.shape = shape & (openflow::kMaxShapes - 1);
        flow.line += first_line;
      });
      done = end;
    };
    for (const Chunk::Left& left : c.left) {
      up_to(left.before);
      Dump rest = dump_;
      rest.text.remove_prefix(left.offset);
      rest.first_line = first_line + left.line;
      Line line;
      LineReader(rest).next(line);
      other_(line, left.offset, sink_);
    }
    up_to(c.flows.size());
    report_.lines += static_cast<std::uint32_t>(c.flows.size());
    report_.understood += static_cast<std::uint32_t>(c.flows.size());
  }

  const Dump& dump_;
  Report& report_;
  const OtherLine& other_;
  ShapeSet shapes_;
  openflow::PrefixCollector prefixes_;
  openflow::FlowBatch batch_;
  FlowSink sink_;
};

}  // namespace

namespace {

// Calls read(begin, end) with a line behind which kOverread bytes may be looked at.
template <class Read>
bool guarded(std::string_view text, std::size_t begin, std::size_t end, Read read) {
  if (end > begin && text[end - 1] == '\r') --end;
  if (text.size() - end >= FlowScanner::kOverread) return read(text.data() + begin, text.data() + end);
  std::string copy(text.substr(begin, end - begin));
  const std::size_t size = copy.size();
  copy.append(FlowScanner::kOverread, '\0');
  return read(copy.data(), copy.data() + size);
}

}  // namespace

bool scan_guarded(FlowScanner& scanner, std::string_view text, std::size_t begin, std::size_t end, FlowRef& out) {
  return guarded(text, begin, end, [&](const char* from, const char* to) { return scanner.scan(from, to, out); });
}

bool match_guarded(FlowScanner& scanner, std::string_view text, std::size_t begin, std::size_t end,
                   std::vector<openflow::MatchWord>& out) {
  return guarded(text, begin, end, [&](const char* from, const char* to) { return scanner.match(from, to, out); });
}

std::shared_ptr<void> scan_flows_ahead(const Dump& dump) {
  auto all = std::make_shared<ScannedText>();
  all->chunks = cut(dump.text);
  all->scanned = scan_all(dump.text, dump.jobs, all->chunks);
  return all;
}

openflow::FlowBatch scan_flows(const Dump& dump, Report& report, const OtherLine& other) {
  const auto all = found_ahead<ScannedText>(dump, scan_flows_ahead);
  return Joiner(dump, report, other).join(all->chunks, all->scanned);
}

}  // namespace egt::parsers::ofctl
