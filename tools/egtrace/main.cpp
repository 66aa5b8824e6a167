// egtrace: explains, from dumps alone, what happens to a packet in an OVN-Kubernetes cluster.
#include <csignal>
#include <string>
#include <vector>

#include "egtrace/parsers/content.h"
#include "egtrace/parsers/output_file.h"
#include "huge_pages.h"
#include "memory.h"
#include "program.h"
#include "snapshot_store.h"

int main(int argc, char** argv) {
  egt::cli::restart_for_huge_pages(argv);
  std::signal(SIGPIPE, SIG_IGN);  // `egtrace … | head` ends quietly; write_output() sees EPIPE
  std::signal(SIGXFSZ, SIG_IGN);  // a file that grows beyond `ulimit -f` is one that cannot be written
  egt::cli::limit_memory_by_host();
  egt::cli::keep_freed_memory();
  egt::cli::reserve_huge_pages();
  egt::parsers::end_when_files_change(static_cast<int>(egt::cli::ExitStatus::unusable));
  egt::parsers::remove_unfinished_files_on_signals();
  const int status = egt::cli::run_program(std::vector<std::string>(argv + 1, argv + argc));
  egt::cli::SnapshotStore::process().answered("/proc/self/exe");
  return status;
}
