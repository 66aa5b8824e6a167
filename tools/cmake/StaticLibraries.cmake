# EGTRACE_STATIC: the executable is one file that needs no shared library and runs wherever the kernel does. ON: a missing archive is
# an error; AUTO: where one is missing (Fedora has not all) the executable needs shared libraries as usual.
set(EGTRACE_STATIC OFF CACHE STRING "an executable that needs no shared library: ON, OFF, AUTO (where all archives are there)")

# What `pkg-config --static` tells of libarchive and libpcap, but for libarchive's format xar and libpcap's D-Bus (packaging/no_dbus.cpp).
set(archives_behind_libarchive nettle acl lzma zstd lz4 bz2 z)
set(EGTRACE_LINKS_STATICALLY ${EGTRACE_STATIC})
if(EGTRACE_STATIC)
  foreach(library archive yaml-cpp pcap sqlite3 ${archives_behind_libarchive})
    find_library(archive_of_${library} lib${library}.a)
    if(NOT archive_of_${library})
      list(APPEND missing_archives lib${library}.a)
    endif()
  endforeach()
  if(missing_archives AND EGTRACE_STATIC STREQUAL "AUTO")
    message(STATUS "the executable needs shared libraries: there is no ${missing_archives}")
    set(EGTRACE_LINKS_STATICALLY OFF)
  elseif(missing_archives)
    message(FATAL_ERROR "EGTRACE_STATIC: there is no ${missing_archives}; tools/dev/install-packages installs them")
  endif()
endif()

# Which targets stand for libraries, whose archives differ from what their packages describe.
set(fmt_library fmt::fmt)
set(yaml_library yaml-cpp)
if(EGTRACE_LINKS_STATICALLY)
  set(EGTRACE_LINKS_STATICALLY ON)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
  set(fmt_library fmt::fmt-header-only)
  set(yaml_library ${archive_of_yaml-cpp})
  foreach(found LibArchive_LIBRARY SQLite3_LIBRARY ZLIB_LIBRARY_RELEASE pkgcfg_lib_pcap_pcap)   # in a build directory of another mode
    if("${${found}}" MATCHES "\\.so")
      unset(${found} CACHE)
    endif()
  endforeach()
endif()

# After find_package(LibArchive).
function(egtrace_complete_libarchive)
  if(NOT EGTRACE_LINKS_STATICALLY)
    return()
  endif()
  foreach(library IN LISTS archives_behind_libarchive)
    set_property(TARGET LibArchive::LibArchive APPEND PROPERTY INTERFACE_LINK_LIBRARIES ${archive_of_${library}})
  endforeach()
endfunction()
