// Memory in pages of 2 MB, where the kernel gives them to those who ask (Documentation/admin-guide/mm/transhuge.rst): each page that
// is touched first costs a fault. GLIBC_TUNABLES is left alone where it is set, and then so is the heap.
#pragma once

namespace egt::cli {

// Where files of many bytes are named on the command line: starts the program again, once, so that all of its heap is of huge pages.
// glibc reads "glibc.malloc.hugetlb" when a program starts, and only then. A large snapshot is read in a quarter less time. Comes
// back where there is little to gain, or where it cannot; `arguments` end with a null pointer, as those of main().
void restart_for_huge_pages(char** arguments);
// Elsewhere: the heap's first megabytes, which are enough for most commands. Once the heap's growth is settled (memory.h).
void reserve_huge_pages();

}  // namespace egt::cli
