// A node of a cluster whose dumps are read on its first use, on whatever thread.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "egtrace/base/published.h"
#include "egtrace/host/host.h"

namespace egt::cluster {

struct Node;

// What a node's small dumps show: whether it is the one to look at.
struct Outline {
  host::Part<std::vector<host::Link>> links;  // as those of its Host
  bool may_be_router = true;                  // false: it has a switch
  bool may_answer_for_others = true;          // false: it is no proxy for ARP or neighbour discovery
};

// Reads a node's dumps. Each of these is called by one thread at a time.
class NodeReader {
 public:
  virtual ~NodeReader() = default;
  virtual Outline outline() = 0;
  // False: no port of its switch has this iface-id, or address.
  virtual bool may_have_port(std::string_view name_or_address) = 0;
  // What its own dumps show; no other node is looked at.
  virtual void read(Node& node) = 0;
  // Then what they show beside those of others: these are looked at by own() and links() alone.
  virtual void compare_with_others(Node& node) = 0;
  // Lets go of what it found out beside the node, so that it may read it again. False: it cannot.
  virtual bool forget() = 0;
};

class NodeHandle {
 public:
  NodeHandle(std::unique_ptr<Node> known);
  NodeHandle(std::unique_ptr<Node> named, std::unique_ptr<NodeReader> reader);
  NodeHandle(NodeHandle&&) noexcept;
  NodeHandle& operator=(NodeHandle&&) noexcept;
  ~NodeHandle();

  // The same node, for another list of nodes.
  NodeHandle shared() const;

  // Without reading it.
  const std::string& name() const;
  const Node* identity() const;
  const host::Part<std::vector<host::Link>>& links() const;  // those of its Host
  bool may_be_router() const;
  bool may_answer_for_others() const;
  bool may_have_port(std::string_view name_or_address) const;
  bool is_read() const;

  // Once it is read. own(): but for what others show about it (Node::inconsistencies).
  Node* get() const;
  Node& own() const;
  Node* operator->() const { return get(); }
  Node& operator*() const { return *get(); }

  // Frees what was read, unless it cannot be read again; identity() stays. No pointer into it may be kept, and no other thread
  // may use it meanwhile.
  void put_away() const;

 private:
  struct State;
  NodeHandle() = default;
  const Outline* outline() const;  // null: it is read
  std::shared_ptr<State> state_;
};

}  // namespace egt::cluster
