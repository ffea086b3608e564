// libedit, fed with characters of our own reading, so that Ctrl-C is heard while it waits.
#include "cli/line_editor.hpp"

#include "cli/interrupts.hpp"
#include "messages/text.hpp"

#include <cerrno>
#include <clocale>
#include <cwchar>
#include <filesystem>
#include <iostream>

#include <histedit.h>
#include <langinfo.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace troupe::cli {

namespace {

constexpr int history_lines_max = 1'000;
constexpr std::size_t history_line_bytes_max = 8'192;
constexpr int look_ms = 100; ///< how soon Ctrl-C is noticed at the latest

/// The next byte; absent at the end, or when interrupted.
std::optional<unsigned char> next_byte() {
  while (true) {
    pollfd source{STDIN_FILENO, POLLIN, 0};
    const int ready = poll(&source, 1, look_ms);
    if (interrupts() > 0)
      return errno = EINTR, std::nullopt;
    if (ready <= 0)
      continue;
    unsigned char byte = 0;
    const ssize_t got = ::read(STDIN_FILENO, &byte, 1);
    if (got == 1)
      return byte;
    if (got == 0 || errno != EINTR)
      return std::nullopt;
  }
}

/// One character of UTF-8 for libedit: 1, or -1.
int next_character(EditLine*, wchar_t* out) {
  const auto first = next_byte();
  if (!first)
    return -1;
  std::string bytes(1, static_cast<char>(*first));
  const int more = *first >= 0xF0 ? 3 : *first >= 0xE0 ? 2 : *first >= 0xC0 ? 1 : 0;
  for (int i = 0; i < more; ++i)
    if (const auto byte = next_byte())
      bytes.push_back(static_cast<char>(*byte));
  std::mbstate_t shift{};
  if (std::mbrtowc(out, bytes.data(), bytes.size(), &shift) == bytes.size())
    return 1;
  *out = L'?';
  return 1;
}

void use_utf8() {
  std::setlocale(LC_CTYPE, "");
  if (std::string_view(nl_langinfo(CODESET)) != "UTF-8")
    std::setlocale(LC_CTYPE, "C.UTF-8");
}

} // namespace

struct line_editor::insides {
  std::string file;
  std::string prompt;
  EditLine* editor = nullptr;
  History* past = nullptr;
  HistEvent event{};

  static char* prompt_of(EditLine* editor) {
    insides* self = nullptr;
    el_get(editor, EL_CLIENTDATA, &self);
    return self->prompt.data();
  }
};

line_editor::line_editor(const std::string& history_file) : in_(std::make_unique<insides>()) {
  use_utf8();
  in_->file = history_file;
  in_->past = history_init();
  history(in_->past, &in_->event, H_SETSIZE, history_lines_max);
  history(in_->past, &in_->event, H_SETUNIQUE, 1);
  history(in_->past, &in_->event, H_LOAD, in_->file.c_str());
  // what the editor draws goes where status goes: the standard output has the answers alone
  in_->editor = el_init("troupe", stdin, stderr, stderr);
  el_set(in_->editor, EL_CLIENTDATA, in_.get());
  el_set(in_->editor, EL_PROMPT, &insides::prompt_of);
  el_set(in_->editor, EL_EDITOR, "emacs");
  el_set(in_->editor, EL_HIST, history, in_->past);
  el_set(in_->editor, EL_BIND, "^R", "em-inc-search-prev", nullptr);
  el_set(in_->editor, EL_GETCFN, &next_character);
}

line_editor::~line_editor() {
  el_end(in_->editor);
  history_end(in_->past);
}

line_input::answer line_editor::read(const std::string& prompt) {
  in_->prompt = prompt;
  el_resize(in_->editor);
  el_set(in_->editor, EL_PREP_TERM, 1); // before the prompt is seen: who sees it may type
  int count = 0;
  const char* const got = el_gets(in_->editor, &count);
  if (got == nullptr || count <= 0) {
    const bool interrupted = interrupts() > 0;
    el_reset(in_->editor);
    std::cerr << std::endl;
    return {interrupted ? line_input::outcome::interrupted : line_input::outcome::end, {}};
  }
  std::string line(got, static_cast<std::size_t>(count));
  while (line.ends_with('\n') || line.ends_with('\r'))
    line.pop_back();
  remember(line);
  return {line_input::outcome::line, to_utf8(line)};
}

void line_editor::remember(const std::string& line) {
  if (line.empty() || line.size() > history_line_bytes_max)
    return;
  history(in_->past, &in_->event, H_ENTER, line.c_str());
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(in_->file).parent_path(), error);
  const mode_t before = ::umask(0077);
  history(in_->past, &in_->event, H_SAVE, in_->file.c_str()); // a history that can't be kept is no trouble
  ::umask(before);
}

} // namespace troupe::cli
