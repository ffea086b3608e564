// zlib's files behind the standard streams.
#include "cli/log_file.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <streambuf>

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

namespace troupe::cli {

namespace {

problem cannot(const std::string& what, const std::string& file) {
  return {problem_code::invalid_input, "`" + file + "` can't be " + what, {}};
}

using zlib_file = std::unique_ptr<gzFile_s, decltype([](gzFile file) { gzclose(file); })>;

class zlib_reader final : public std::streambuf {
 public:
  explicit zlib_reader(zlib_file file) : file_(std::move(file)) {}

 protected:
  int_type underflow() override {
    const int got = gzread(file_.get(), buffer_.data(), static_cast<unsigned>(buffer_.size()));
    int status = Z_OK;
    const char* const why = gzerror(file_.get(), &status);
    if (got < 0 || (got == 0 && status != Z_OK && status != Z_STREAM_END))
      throw std::ios_base::failure(why); // the stream's `bad`
    if (got == 0)
      return traits_type::eof();
    setg(buffer_.data(), buffer_.data(), buffer_.data() + got);
    return traits_type::to_int_type(*gptr());
  }
  // To the beginning, and to the end for whoever asks whether it can be read twice.
  pos_type seekoff(off_type by, std::ios_base::seekdir from, std::ios_base::openmode) override {
    if (by != 0 || from == std::ios_base::cur)
      return {off_type(-1)};
    setg(nullptr, nullptr, nullptr);
    return from == std::ios_base::end || gzrewind(file_.get()) == 0 ? pos_type(0) : pos_type(off_type(-1));
  }
  pos_type seekpos(pos_type to, std::ios_base::openmode which) override {
    return seekoff(to, std::ios_base::beg, which);
  }

 private:
  zlib_file file_;
  std::array<char, 1 << 16> buffer_{};
};

class zlib_writer final : public std::streambuf {
 public:
  explicit zlib_writer(zlib_file file) : file_(std::move(file)) {}
  /// The rest is written; false if it couldn't be.
  bool close() { return gzclose(file_.release()) == Z_OK; }

 protected:
  std::streamsize xsputn(const char* bytes, std::streamsize count) override {
    std::streamsize done = 0;
    while (done < count) {
      const auto part = static_cast<unsigned>(std::min<std::streamsize>(count - done, 1 << 30));
      if (gzwrite(file_.get(), bytes + done, part) != static_cast<int>(part))
        break;
      done += part;
    }
    return done;
  }
  int_type overflow(int_type one) override {
    const char byte = traits_type::to_char_type(one);
    return xsputn(&byte, 1) == 1 ? one : traits_type::eof();
  }

 private:
  zlib_file file_;
};

template <class Buffer> struct held_buffer {
  explicit held_buffer(zlib_file file) : buffer(std::move(file)) {}
  Buffer buffer;
};
struct zlib_input : held_buffer<zlib_reader>, std::istream {
  explicit zlib_input(zlib_file file) : held_buffer(std::move(file)), std::istream(&buffer) {}
};
problem in_the_way(const std::string& file) {
  return {problem_code::conflict, "`" + file + "` is there already; name another folder, or move it", {}};
}

/// A file, or the names in a folder.
bool on_disk(const std::string& file) {
  const int opened = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  const bool synced = opened >= 0 && ::fsync(opened) == 0;
  if (opened >= 0)
    ::close(opened);
  return synced;
}

} // namespace

result<std::unique_ptr<std::istream>> read_log_file(const std::string& file) {
  std::error_code absent;
  if (!std::filesystem::is_regular_file(file, absent))
    return cannot("read; give a file that `troupe export` wrote (it is read twice)", file);
  zlib_file opened(gzopen(file.c_str(), "rbe"));
  if (!opened)
    return cannot("read", file);
  return std::make_unique<zlib_input>(std::move(opened));
}

struct log_destination::compressed : held_buffer<zlib_writer>, std::ostream {
  explicit compressed(zlib_file file) : held_buffer(std::move(file)), std::ostream(&buffer) {}
};

log_destination::log_destination() : out_(&std::cout) {}
log_destination::~log_destination() {
  if (out_ != &std::cout)
    (void)finish(false);
}

result<void> log_destination::open(const std::string& file, name_in_use then) {
  if (file.empty() || file == "-")
    return {};
  std::error_code absent;
  then_ = then;
  name_ = std::filesystem::weakly_canonical(file, absent).string();
  if (absent)
    name_ = file;
  if (then == name_in_use::kept && std::filesystem::exists(name_, absent))
    return in_the_way(file);
  const bool is_file =
      !std::filesystem::exists(name_, absent) || std::filesystem::is_regular_file(name_, absent);
  written_to_ = is_file ? name_ + ".part-" + std::to_string(::getpid()) : name_;
  if (is_file) {
    const int fresh = ::open(written_to_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fresh < 0)
      return cannot("written", written_to_);
    ::close(fresh);
  }
  if (is_file && name_.ends_with(".gz")) {
    zlib_file opened(gzopen(written_to_.c_str(), "wbe"));
    if (!opened)
      return cannot("written", written_to_);
    compressed_ = std::make_unique<compressed>(std::move(opened));
    out_ = compressed_.get();
    return {};
  }
  file_.open(written_to_, std::ios::binary);
  out_ = &file_;
  return file_ ? result<void>() : cannot("written", written_to_);
}

bool log_destination::close() {
  out_->flush();
  bool good = out_->good();
  if (compressed_)
    good = compressed_->buffer.close() && good;
  else if (file_.is_open())
    file_.close();
  good = good && !file_.fail();
  out_ = &std::cout;
  return good;
}

result<void> log_destination::finish(bool whole) {
  if (name_.empty()) {
    out_->flush();
    return out_->good() ? result<void>() : cannot("written", "the standard output");
  }
  const bool good = close();
  if (written_to_ == name_)
    return good ? result<void>() : cannot("written", name_);
  std::error_code failed;
  if (!whole || !good || !on_disk(written_to_)) {
    std::filesystem::remove(written_to_, failed);
    return whole ? cannot("written", name_) : result<void>();
  }
  const unsigned how = then_ == name_in_use::kept ? RENAME_NOREPLACE : 0;
  if (::renameat2(AT_FDCWD, written_to_.c_str(), AT_FDCWD, name_.c_str(), how) != 0) {
    const bool exists = errno == EEXIST;
    std::filesystem::remove(written_to_, failed);
    return exists ? in_the_way(name_) : cannot("written", name_);
  }
  const auto folder = std::filesystem::path(name_).parent_path();
  return on_disk(folder.empty() ? "." : folder.string()) ? result<void>() : cannot("written", name_);
}

} // namespace troupe::cli
