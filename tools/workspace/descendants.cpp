// Children by the kernel's own list (`/proc/…/children`), or where it isn't there by looking at all.
#include "tools/workspace/descendants.hpp"

#include <climits>
#include <csignal>
#include <cstdint>
#include <cstring>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace troupe::tools {

namespace {

char* put_number(char* out, long number) {
  char digits[24];
  int count = 0;
  do
    digits[count++] = static_cast<char>('0' + number % 10);
  while ((number /= 10) != 0);
  while (count > 0)
    *out++ = digits[--count];
  return out;
}

char* put_text(char* out, const char* text) {
  while (*text != '\0')
    *out++ = *text++;
  return out;
}

/// What is done to a child.
using action = int (*)(pid_t child, int signal);

int kill_it(pid_t child, int signal) { return ::kill(child, signal); }
int kill_its_group(pid_t child, int signal) { return ::kill(-child, signal); }

/// To the children as the kernel lists them: how many it was done to; -1 where there is no list.
int to_listed(long parent, action act, int signal) {
  char path[96];
  char* end = put_number(put_text(path, "/proc/"), parent);
  end = put_number(put_text(end, "/task/"), parent);
  *put_text(end, "/children") = '\0';
  const int list = ::open(path, O_RDONLY | O_CLOEXEC);
  if (list < 0)
    return -1;
  int done = 0;
  long number = 0;
  char buffer[4096];
  for (ssize_t got = ::read(list, buffer, sizeof buffer); got > 0; got = ::read(list, buffer, sizeof buffer))
    for (ssize_t i = 0; i < got; ++i) {
      if (buffer[i] >= '0' && buffer[i] <= '9') {
        number = number * 10 + (buffer[i] - '0');
      } else if (number > 0) {
        done += act(static_cast<pid_t>(number), signal) == 0 ? 1 : 0;
        number = 0;
      }
    }
  ::close(list);
  return done;
}

/// The parent of a process, by its `stat`; 0 where it is gone.
long parent_of(const char* process) {
  char path[64];
  *put_text(put_text(put_text(path, "/proc/"), process), "/stat") = '\0';
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return 0;
  char text[512];
  const ssize_t got = ::read(file, text, sizeof text - 1);
  ::close(file);
  text[got < 0 ? 0 : got] = '\0';
  const char* at = std::strrchr(text, ')'); // the name before it may hold anything
  if (at == nullptr || std::strlen(at) < 5)
    return 0;
  long parent = 0;
  for (at += 4; *at >= '0' && *at <= '9'; ++at)
    parent = parent * 10 + (*at - '0');
  return parent;
}

int to_found(long parent, action act, int signal) {
  const int folder = ::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0)
    return 0;
  int done = 0;
  alignas(8) char buffer[4096];
  for (long got = ::syscall(SYS_getdents64, folder, buffer, sizeof buffer); got > 0;
       got = ::syscall(SYS_getdents64, folder, buffer, sizeof buffer))
    for (long at = 0; at < got;) {
      const char* name = buffer + at + 19; // behind inode, offset, length and type
      unsigned short length = 0;
      std::memcpy(&length, buffer + at + 16, sizeof length);
      at += length;
      if (name[0] < '1' || name[0] > '9' || std::strlen(name) > 10 || parent_of(name) != parent)
        continue;
      long number = 0;
      for (const char* digit = name; *digit != '\0'; ++digit)
        number = number * 10 + (*digit - '0');
      done += act(static_cast<pid_t>(number), signal) == 0 ? 1 : 0;
    }
  ::close(folder);
  return done;
}

int to_children(long parent, action act, int signal) {
  const int done = to_listed(parent, act, signal);
  return done >= 0 ? done : to_found(parent, act, signal);
}

} // namespace

void kill_children(int signal) { to_children(::getpid(), kill_it, signal); }

bool kill_groups_of_children(int parent, int signal) {
  return to_children(parent, kill_its_group, signal) > 0;
}

void close_range_of(int first, int last) {
  if (last >= 0 && first > last)
    return;
  if (::syscall(SYS_close_range, static_cast<unsigned>(first),
          last < 0 ? UINT_MAX : static_cast<unsigned>(last), 0U)
      == 0)
    return;
  rlimit files{};
  if (last < 0)
    last = ::getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < 65536
        ? static_cast<int>(files.rlim_cur)
        : 65536;
  for (int number = first; number <= last; ++number)
    ::close(number);
}

} // namespace troupe::tools
