#include "egtrace/cluster/node_handle.h"

#include "egtrace/cluster/cluster.h"

namespace egt::cluster {

struct NodeHandle::State {
  std::unique_ptr<Node> node;
  std::string name;
  std::unique_ptr<NodeReader> reader;  // null: everything is known
  std::mutex reading, holding, looking;
  std::atomic<bool> is_own{false}, is_whole{false};
  MadeOnce<Outline> outline;
};

NodeHandle::NodeHandle(std::unique_ptr<Node> known) : NodeHandle(std::move(known), nullptr) {
  state_->is_own = state_->is_whole = true;
}

NodeHandle::NodeHandle(std::unique_ptr<Node> named, std::unique_ptr<NodeReader> reader) : state_(std::make_shared<State>()) {
  state_->name = named->name;
  state_->node = std::move(named);
  state_->reader = std::move(reader);
}

NodeHandle::NodeHandle(NodeHandle&&) noexcept = default;
NodeHandle& NodeHandle::operator=(NodeHandle&&) noexcept = default;
NodeHandle::~NodeHandle() = default;

NodeHandle NodeHandle::shared() const {
  NodeHandle same;
  same.state_ = state_;
  return same;
}

const std::string& NodeHandle::name() const { return state_->reader ? state_->name : state_->node->name; }
const Node* NodeHandle::identity() const { return state_->node.get(); }
bool NodeHandle::is_read() const { return state_->is_whole.load(std::memory_order_acquire); }

const Outline* NodeHandle::outline() const {
  if (is_read()) return nullptr;
  return &state_->outline.get_or([&] { return state_->reader->outline(); });
}

const host::Part<std::vector<host::Link>>& NodeHandle::links() const {
  if (state_->is_own.load(std::memory_order_acquire)) return state_->node->host.links;
  const Outline* known = outline();
  return known == nullptr ? state_->node->host.links : known->links;
}

bool NodeHandle::may_be_router() const {
  const Outline* known = outline();
  return known == nullptr || known->may_be_router;
}

bool NodeHandle::may_answer_for_others() const {
  const Outline* known = outline();
  return known == nullptr || known->may_answer_for_others;
}

bool NodeHandle::may_have_port(std::string_view shown) const {
  if (is_read()) return true;
  const std::lock_guard<std::mutex> lock(state_->looking);
  return state_->reader->may_have_port(shown);
}

Node& NodeHandle::own() const {
  State& s = *state_;
  if (!s.is_own.load(std::memory_order_acquire)) {
    const std::lock_guard<std::mutex> lock(s.reading);
    if (!s.is_own) {
      s.reader->read(*s.node);
      s.is_own.store(true, std::memory_order_release);
    }
  }
  return *s.node;
}

Node* NodeHandle::get() const {
  State& s = *state_;
  if (!s.is_whole.load(std::memory_order_acquire)) {
    Node& node = own();
    const std::lock_guard<std::mutex> lock(s.holding);
    if (!s.is_whole) {
      s.reader->compare_with_others(node);
      s.is_whole.store(true, std::memory_order_release);
    }
  }
  return s.node.get();
}

void NodeHandle::put_away() const {
  State& s = *state_;
  if (!s.reader || !s.is_own || !s.reader->forget()) return;
  Node named;
  named.name = s.name;
  named.dumps = std::move(s.node->dumps);
  *s.node = std::move(named);
  s.is_own = s.is_whole = false;
}

}  // namespace egt::cluster
