#include "support/pack.h"

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "support/run.h"

namespace egt::testing {
namespace {

namespace fs = std::filesystem;

la_ssize_t append(archive*, void* out, const void* bytes, std::size_t size) {
  static_cast<std::string*>(out)->append(static_cast<const char*>(bytes), size);
  return static_cast<la_ssize_t>(size);
}

void set_up(archive* a, const std::string& filter, const std::string& format) {
  if (filter == "gz") archive_write_add_filter_gzip(a);
  if (filter == "xz") archive_write_add_filter_xz(a);
  if (filter == "zst") archive_write_add_filter_zstd(a);
  if (filter == "bz2") archive_write_add_filter_bzip2(a);
  if (format == "tar") archive_write_set_format_pax_restricted(a);
  if (format == "zip") archive_write_set_format_zip(a);
  if (format == "encrypted zip") {
    archive_write_set_format_zip(a);
    archive_write_set_options(a, "zip:encryption=traditional");
    archive_write_set_passphrase(a, "password");
  }
  if (format == "raw") archive_write_set_format_raw(a);
  archive_write_set_bytes_in_last_block(a, 1);
}

unsigned type_of(const PackedFile& file) {
  if (file.kind == PackedFile::Kind::fifo) return AE_IFIFO;
  if (file.kind == PackedFile::Kind::device) return AE_IFCHR;
  return file.link.empty() ? AE_IFREG : AE_IFLNK;
}

void write(archive* a, const PackedFile& file) {
  archive_entry* entry = archive_entry_new();
  archive_entry_set_pathname(entry, file.name.c_str());
  archive_entry_set_filetype(entry, type_of(file));
  archive_entry_set_perm(entry, 0644);
  if (file.time != 0) archive_entry_set_mtime(entry, file.time, 0);
  if (!file.link.empty()) archive_entry_set_symlink(entry, file.link.c_str());
  archive_entry_set_size(entry, file.link.empty() ? static_cast<la_int64_t>(file.text.size()) : 0);
  archive_write_header(a, entry);
  if (file.link.empty()) archive_write_data(a, file.text.data(), file.text.size());
  archive_entry_free(entry);
}

}  // namespace

std::string pack(const std::vector<PackedFile>& files, const std::string& filter, const std::string& format) {
  std::string out;
  archive* a = archive_write_new();
  set_up(a, filter, format);
  if (archive_write_open(a, &out, nullptr, append, nullptr) != ARCHIVE_OK) throw std::runtime_error(archive_error_string(a));
  for (const PackedFile& file : files) write(a, file);
  archive_write_close(a);
  archive_write_free(a);
  return out;
}

std::vector<PackedFile> files_below(const std::string& directory, const std::string& prefix) {
  std::vector<PackedFile> files;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    PackedFile file;
    file.name = prefix + fs::relative(entry.path(), directory).string();
    if (entry.is_symlink())
      file.link = fs::read_symlink(entry.path()).string();
    else if (entry.is_regular_file())
      file.text = read_file(entry.path().string());
    else
      continue;
    files.push_back(std::move(file));
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return files;
}

}  // namespace egt::testing
