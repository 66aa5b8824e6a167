// For the static executable: crtbeginT.o registers .eh_frame as a whole, and the first exception then sorts all of it, for 10 to 20 ms.
// Without it unwinding finds the sorted table .eh_frame_hdr (--eh-frame-hdr) as in a dynamic executable; libgcc, unwind-dw2-fde-dip.c.
// The linker puts these in place of crtbeginT.o's calls (--wrap).
extern "C" void __wrap___register_frame_info(const void* begin, void* object);
extern "C" void* __wrap___deregister_frame_info(const void* begin);

extern "C" void __wrap___register_frame_info(const void*, void*) {}
extern "C" void* __wrap___deregister_frame_info(const void*) { return nullptr; }
