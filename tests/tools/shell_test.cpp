// The shell: its output, its bounds, and that nothing it starts outlives it or us.
#include "tests/tools/scratch.hpp"
#include "tools/workspace/bounded_output.hpp"
#include "tools/workspace/supervised_command.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <csignal>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

using namespace troupe;
using tools::testing::has;
using tools::testing::workspace_fixture;

namespace {

using clock_type = std::chrono::steady_clock;
using namespace std::chrono_literals;

/// Waits until a process is gone, without waiting for longer than it takes.
bool is_gone(pid_t process) {
  const int watched = static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
  if (watched < 0)
    return errno == ESRCH;
  pollfd source{watched, POLLIN, 0};
  const bool gone = ::poll(&source, 1, 10'000) == 1;
  ::close(watched);
  return gone;
}

/// The processes whose numbers a command wrote into a file.
std::vector<pid_t> processes(const std::string& text) {
  std::vector<pid_t> out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (end > at)
      out.push_back(std::stoi(text.substr(at, end - at)));
    at = end + 1;
  }
  return out;
}

std::string line_from(int pipe) {
  std::string out;
  for (char c = 0; ::read(pipe, &c, 1) == 1 && c != '\n';)
    out += c;
  return out;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(shell_tool, workspace_fixture)

BOOST_AUTO_TEST_CASE(output_and_errors_come_in_the_order_they_were_written) {
  BOOST_TEST(shell("echo one; echo two >&2; echo three") == "one\ntwo\nthree\n");
  BOOST_TEST(shell("true") == "[no output]");
  BOOST_TEST(shell("pwd") == std::filesystem::canonical(folder.root()).string() + "\n");
}

BOOST_AUTO_TEST_CASE(the_exit_is_told) {
  const auto failed = run("shell", R"({"command":"echo x; exit 3"})");
  BOOST_TEST(plain_text(failed.content) == "x\n[exit status 3]");
  BOOST_TEST(!failed.is_error); // the command ran; its status is an answer
  BOOST_TEST(failed.details->text == R"({"exit_status":3,"output_bytes":2})");
  BOOST_TEST(shell("kill -SEGV $$") == "[ended by signal 11 (Segmentation fault)]");
  BOOST_TEST(has(shell("no-such-program"), "[exit status 127]"));
}

BOOST_AUTO_TEST_CASE(there_is_no_input_no_terminal_and_no_secret) {
  ::setenv("ANTHROPIC_API_KEY", "secret", 1);
  BOOST_TEST(shell("cat; tty; env | grep -c KEY") == "not a tty\n0\n[exit status 1]");
  BOOST_TEST(has(shell("cat /dev/tty"), "exit status"));
  ::unsetenv("ANTHROPIC_API_KEY");
  const char* variables[] = {"HOME=/home/x", "AWS_SECRET_ACCESS_KEY=x", "LC_ALL=C", "PATHS=1", nullptr};
  BOOST_TEST((tools::clean_environment(variables)
      == std::vector<std::string>{"HOME=/home/x", "LC_ALL=C", "PATH=/usr/local/bin:/usr/bin:/bin"}));
}

BOOST_AUTO_TEST_CASE(no_descriptor_of_ours_is_passed_on) {
  const int open_here = ::open("/dev/zero", O_RDONLY);                // without O_CLOEXEC, as a library might
  BOOST_TEST(shell("ls /proc/self/fd | tr '\\n' ' '") == "0 1 2 3 "); // 3 is the folder that ls reads
  ::close(open_here);
}

BOOST_AUTO_TEST_CASE(endless_output_is_cut_in_the_middle_and_counted) {
  const std::string text = shell("echo begin; yes 0123456789 | head -c 3000000; echo end");
  BOOST_TEST(text.size() <= 256U * 1024U);
  BOOST_TEST(text.starts_with("begin\n0123456789\n"));
  BOOST_TEST(text.ends_with("end\n"));
  BOOST_TEST(has(text, " of 3000010 bytes are left out here"));
}

BOOST_AUTO_TEST_CASE(what_is_no_text_becomes_the_replacement_character) {
  BOOST_TEST(shell("printf 'a\\377b'")
      == "a\uFFFD"
         "b");
  BOOST_TEST(shell("printf 'a\\000b'") == std::string("a\0b", 3));
  BOOST_TEST(shell("head -c 400000 /dev/zero | tr '\\000' '\\377'").size() <= 256U * 1024U);
}

BOOST_AUTO_TEST_CASE(a_command_beyond_its_time_is_stopped_with_all_that_it_started) {
  const auto begin = clock_type::now();
  const auto late = run("shell",
      R"({"command":"echo $$ > pids; sh -c 'echo $$ >> pids; trap \"\" TERM; sleep 1000; sleep 1000' & sleep 1000","timeout_ms":200})");
  BOOST_TEST(has(plain_text(late.content), "[stopped: the time of 200 ms was up]"));
  BOOST_TEST((late.error_kind == error_kind::timeout));
  BOOST_TEST((clock_type::now() - begin < 8s));
  for (const pid_t process : processes(folder.read("pids")))
    BOOST_TEST(is_gone(process));
}

BOOST_AUTO_TEST_CASE(a_stop_from_another_thread_ends_the_command_and_keeps_its_output) {
  ::mkfifo((folder.root() / "ready").c_str(), 0600);
  const auto stop = std::make_shared<tools::stop_source>();
  std::thread stopper([&] {
    const int ready =
        ::open((folder.root() / "ready").c_str(), O_RDONLY); // until the command has come so far
    line_from(ready);
    ::close(ready);
    stop->stop();
  });
  const auto stopped = run("shell", R"({"command":"echo before; echo x > ready; sleep 1000"})", stop);
  stopper.join();
  BOOST_TEST(stopped.aborted);
  BOOST_TEST(plain_text(stopped.content) == "before\n[stopped on request]");
  BOOST_TEST(run("shell", R"({"command":"sleep 1000"})", stop).aborted); // stopped before it began
}

BOOST_AUTO_TEST_CASE(a_command_may_end_kindly) {
  const auto late = run("shell",
      R"({"command":"trap 'echo cleaned; exit 0' TERM; while :; do sleep 0.01; done","timeout_ms":100})");
  BOOST_TEST(has(plain_text(late.content), "cleaned"));
}

BOOST_AUTO_TEST_CASE(what_is_left_in_the_background_is_ended_and_holds_nobody) {
  const auto begin = clock_type::now();
  const std::string text = shell("sleep 1000 & echo $! > pids; echo done");
  BOOST_TEST(text == "done\n[what the command left running in the background was ended]");
  BOOST_TEST((clock_type::now() - begin < 5s));
  for (const pid_t process : processes(folder.read("pids")))
    BOOST_TEST(is_gone(process));
}

BOOST_AUTO_TEST_CASE(an_escape_into_another_session_is_no_escape) {
  shell("setsid sh -c 'echo $$ > pids; setsid sh -c \"echo \\$\\$ >> pids; trap \\\"\\\" TERM HUP; sleep "
        "1000\" & sleep 1000' & "
        "while [ \"$(wc -l < pids 2>/dev/null)\" != 2 ]; do sleep 0.01; done");
  const auto left = processes(folder.read("pids"));
  BOOST_TEST(left.size() == 2U);
  for (const pid_t process : left)
    BOOST_TEST(is_gone(process));
}

BOOST_AUTO_TEST_CASE(a_background_process_that_writes_for_ever_holds_nobody) {
  const auto begin = clock_type::now();
  BOOST_TEST(has(shell("yes & sleep 0.05"), "in the background was ended"));
  BOOST_TEST((clock_type::now() - begin < 8s));
}

BOOST_AUTO_TEST_CASE(many_commands_at_once_keep_their_outputs_apart) {
  std::vector<std::thread> callers;
  std::vector<std::string> texts(12);
  for (std::size_t i = 0; i < texts.size(); ++i)
    callers.emplace_back([&, i] {
      texts[i] = shell("for n in 1 2 3 4 5; do echo " + std::to_string(i) + "; done; sleep 0.01");
    });
  for (auto& caller : callers)
    caller.join();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string line = std::to_string(i) + "\n";
    BOOST_TEST(texts[i] == line + line + line + line + line);
  }
}

BOOST_AUTO_TEST_CASE(no_zombie_and_no_descriptor_is_left) {
  shell("true");
  const auto open_files = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  const auto before = open_files();
  for (int i = 0; i < 20; ++i)
    shell("sleep 1000 & true");
  BOOST_TEST(open_files() == before);
  BOOST_TEST(::waitpid(-1, nullptr, WNOHANG) == -1);
}

BOOST_AUTO_TEST_CASE(odd_commands_are_refused_before_anything_runs) {
  BOOST_TEST(has(text("shell", R"({"command":"a\u0000b"})"), "NUL"));
  BOOST_TEST(has(shell(std::string(200'000, 'x')), "longer than"));
  BOOST_TEST(has(text("shell", "{}"), "/command: expected a value (it is required)"));
}

BOOST_AUTO_TEST_CASE(what_it_says_on_the_way_cuts_no_character) {
  std::string told;
  // the file that it waits for is made by what it has said so far
  run("shell", R"({"command":"printf 'caf\\303'; while [ ! -e go ]; do sleep 0.01; done; printf '\\251!'"})",
      nullptr, [&](const std::string& text) {
        told += text;
        shell("touch go");
      });
  BOOST_TEST(told == "caf\u00e9!");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(our_death, workspace_fixture)

/// A process like ours that runs a command and is killed in the middle of it, from a thread that is
/// not its first, together with its whole process group.
BOOST_AUTO_TEST_CASE(when_we_are_killed_the_command_and_its_children_are_killed) {
  ::mkfifo((folder.root() / "ready").c_str(), 0600);
  const pid_t victim = ::fork();
  if (victim == 0) {
    ::setpgid(0, 0);
    std::thread worker([this] {
      shell("echo $$ > pids; setsid sh -c 'echo $$ >> pids; trap \"\" TERM HUP; echo x > ready; sleep 1000' "
            "& sleep 1000");
    });
    worker.join();
    ::_exit(0);
  }
  ::setpgid(victim, victim);
  const int ready = ::open((folder.root() / "ready").c_str(), O_RDONLY);
  BOOST_TEST(line_from(ready) == "x");
  ::close(ready);
  const auto started = processes(folder.read("pids"));
  BOOST_TEST(started.size() == 2U);
  ::kill(-victim, SIGKILL);
  ::waitpid(victim, nullptr, 0);
  for (const pid_t process : started)
    BOOST_TEST(is_gone(process));
}

BOOST_AUTO_TEST_CASE(when_the_watching_process_is_killed_the_call_still_ends) {
  const auto lost = run("shell", R"({"command":"sleep 1000 & echo $! > pids; kill -9 $PPID; sleep 1000"})");
  BOOST_TEST(lost.is_error);
  BOOST_TEST(has(plain_text(lost.content), "the process that watches the command is gone"));
  for (const pid_t process : processes(folder.read("pids")))
    BOOST_TEST(is_gone(process));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(bounded_output_of_a_command)

BOOST_AUTO_TEST_CASE(head_and_tail_are_kept_whole) {
  tools::bounded_output out(20);
  out.append("0123456789");
  out.append("abcdefghij");
  BOOST_TEST(out.text() == "0123456789abcdefghij");
  for (int i = 0; i < 100; ++i)
    out.append("ä");
  BOOST_TEST(out.bytes_total() == 220U);
  BOOST_TEST(out.text() == "012345678\n[… 201 of 220 bytes are left out here …]\näääää");
}

BOOST_AUTO_TEST_SUITE_END()
