// The tool `shell`: a command in the workspace, with its output, its exit status and its bounds.
#include "messages/text.hpp"
#include "tools/described.hpp"
#include "tools/kept_result.hpp"
#include "tools/workspace/bounded_output.hpp"
#include "tools/workspace/files.hpp"
#include "tools/workspace/supervised_command.hpp"
#include "tools/workspace/workspace.hpp"

#include <algorithm>
#include <cstring>

namespace troupe::tools {

struct shell_arguments {
  std::string command;
  std::optional<std::chrono::milliseconds> timeout_ms;
};
BOOST_DESCRIBE_STRUCT(shell_arguments, (), (command, timeout_ms))

namespace {

constexpr std::size_t command_bytes_max = 128 * 1024; // an argument of the kernel's
constexpr std::chrono::milliseconds timeout_max{3'600'000};

/// What a command runs in.
struct surroundings {
  std::shared_ptr<const root> folder;
  workspace_settings settings;
  std::shared_ptr<const sandbox> confined; ///< null: in nothing
};

std::string exit_line(int status) {
  if (status == 0)
    return {};
  const std::string line = "[exit status " + std::to_string(status);
  const char* const name = status > 128 && status < 128 + 32 ? ::strsignal(status - 128) : nullptr;
  return line + (name ? ", as after signal " + std::to_string(status - 128) + " (" + name + ")]" : "]");
}

std::string last_line(const command_end& end, std::chrono::milliseconds timeout) {
  switch (end.how) {
  case command_end::kind::exited:
    return end.began ? exit_line(end.number) : "[the sandbox failed, the command didn't run]";
  case command_end::kind::killed:
    return "[ended by signal " + std::to_string(end.number) + " (" + ::strsignal(end.number) + ")]";
  case command_end::kind::timed_out:
    return "[stopped: the time of " + std::to_string(timeout.count()) + " ms was up]";
  case command_end::kind::stopped:
    return "[stopped on request]";
  case command_end::kind::lost:
    return "[the command's end is unknown: " + end.trouble + "]";
  }
  return {};
}

// Of a character that the bytes end in the middle of; what is none is said as it is.
std::size_t unfinished_bytes(std::string_view bytes) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, bytes.size()); ++back) {
    const auto byte = static_cast<unsigned char>(bytes[bytes.size() - back]);
    if ((byte & 0xC0U) == 0x80U)
      continue;
    const std::size_t wants = byte >= 0xF0U ? 4 : byte >= 0xE0U ? 3 : byte >= 0xC0U ? 2 : 1;
    return wants > back ? back : 0;
  }
  return 0;
}

output run_shell(const surroundings& place, const call& call, const shell_arguments& query) {
  if (query.command.find('\0') != std::string::npos)
    return refusal("The command holds a NUL character.", error_kind::invalid_input);
  if (query.command.size() >= command_bytes_max)
    return refusal("The command is longer than " + std::to_string(command_bytes_max)
            + " bytes; write a script and run that.",
        error_kind::invalid_input);
  supervised_command command{.words = place.confined
          ? place.confined->words(query.command)
          : std::vector<std::string>{"/bin/sh", "-c", query.command},
      .environment = place.settings.environment,
      .folder = place.folder->folder(),
      .timeout = std::chrono::milliseconds(place.settings.shell_timeout_ms),
      .grace = std::chrono::milliseconds(place.settings.shell_grace_ms),
      .sandboxed = place.confined != nullptr};
  if (query.timeout_ms)
    command.timeout = std::clamp(*query.timeout_ms, std::chrono::milliseconds(1), timeout_max);
  bounded_output collected(output_text_bytes_max);
  std::string unsaid; // the beginning of a character whose end is still to come
  const command_end end = run_command(command, call.stop.get(), [&](std::string_view bytes) {
    if (call.progress && collected.bytes_total() < output_bytes_max) {
      unsaid.append(bytes);
      const std::string_view whole(unsaid.data(), unsaid.size() - unfinished_bytes(unsaid));
      if (!whole.empty())
        call.progress(to_utf8(whole));
      unsaid.erase(0, whole.size());
    }
    collected.append(bytes);
  });
  std::string text = collected.text();
  const auto add_line = [&](const std::string& line) {
    if (!line.empty())
      text += (text.empty() || text.ends_with('\n') ? "" : "\n") + line;
  };
  if (end.left_running && end.how == command_end::kind::exited)
    add_line("[what the command left running in the background was ended]");
  add_line(last_line(end, command.timeout));
  output out;
  out.content = content(text.empty() ? "[no output]" : std::move(text));
  out.aborted = end.how == command_end::kind::stopped;
  const bool failed_sandbox = end.how == command_end::kind::exited && !end.began;
  if (end.how == command_end::kind::timed_out || end.how == command_end::kind::lost || failed_sandbox) {
    out.is_error = true;
    out.error_kind = end.how == command_end::kind::timed_out ? error_kind::timeout : error_kind::transient;
  }
  json::writer details;
  details.begin_object();
  if (end.how == command_end::kind::exited)
    details.key("exit_status").number(std::int64_t{end.number});
  else if (end.how == command_end::kind::killed)
    details.key("signal").number(std::int64_t{end.number});
  out.details = json::raw{details.key("output_bytes").number(collected.bytes_total()).end_object().take()};
  return out;
}

} // namespace

std::shared_ptr<tool> make_shell(std::shared_ptr<const root> root, const workspace_settings& settings,
    std::shared_ptr<const sandbox> confined) {
  std::string description =
      "Runs a command with /bin/sh in the workspace and gives its output, with the exit status where it "
      "isn't "
      "0. There is no input and no terminal. What it leaves in the background is ended with it.";
  if (confined)
    description +=
        std::string(" It runs in a sandbox: only the workspace can be written, /tmp is empty and gone "
                    "with the command")
        + (confined->has_network() ? "." : ", and there is no network.");
  const auto place =
      std::make_shared<const surroundings>(surroundings{std::move(root), settings, std::move(confined)});
  return define_tool("shell", description,
      [place](const call& call, const shell_arguments& query) { return run_shell(*place, call, query); })
      .argument("command", "The command line")
      .argument("timeout_ms", "How long it may take")
      .on_interrupted(interrupted_policy::ask)
      .clearable()
      .timeout(timeout_max + std::chrono::seconds(30));
}

} // namespace troupe::tools
