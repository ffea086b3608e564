// The sandbox: what a command in it can't read, write, reach or leave behind. Skipped where the system
// lets nobody have one; that our own way into it works is tested everywhere else.
#include "tests/tools/scratch.hpp"

#include <boost/test/unit_test.hpp>

#include <csignal>
#include <thread>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

using namespace troupe;
using tools::sandbox_mode;
using tools::testing::has;
using tools::testing::workspace_fixture;

namespace {

/// Whether bubblewrap can make a sandbox on this machine at all, asked without our code.
boost::test_tools::assertion_result there_can_be_one(boost::unit_test::test_unit_id) {
  static const bool can =
      std::system("bwrap --ro-bind / / --unshare-pid --unshare-net --proc /proc true 2>/dev/null") == 0;
  return can;
}

struct sandboxed : workspace_fixture {
  sandboxed() {
    std::filesystem::create_directories(folder.root() / "data");
    std::ofstream(folder.root() / "data/socket") << "data";
    folder.write("conf/troupe.toml", "secret");
    use(with_sandbox());
  }

  tools::workspace_settings with_sandbox() const {
    auto out = settings();
    out.sandbox.mode = sandbox_mode::required;
    out.sandbox.hidden = {(folder.root() / "data").string(), (folder.root() / "conf/troupe.toml").string()};
    return out;
  }

  /// Both ends of a pipe in the workspace that commands open by its name. It is over when they are gone.
  int open_pipe(const std::string& name) const {
    ::mkfifo((folder.root() / name).c_str(), 0600);
    return ::open((folder.root() / name).c_str(), O_RDONLY | O_NONBLOCK);
  }
};

/// Waits until nobody holds the pipe's other end any more.
bool is_let_go(int pipe) {
  char bytes[256];
  pollfd source{pipe, POLLIN, 0};
  while (::poll(&source, 1, 10'000) == 1)
    if (::read(pipe, bytes, sizeof bytes) == 0)
      return true;
  return false;
}

bool is_written_to(int pipe) {
  pollfd source{pipe, POLLIN, 0};
  char byte = 0;
  return ::poll(&source, 1, 10'000) == 1 && ::read(pipe, &byte, 1) == 1;
}

/// A process of ours with a secret in its environment.
class secret_holder {
 public:
  secret_holder() {
    const char* words[] = {"sleep", "1000", nullptr};
    const char* variables[] = {"TROUPE_TEST_SECRET=x17", nullptr};
    ::posix_spawn(
        &process_, "/bin/sleep", nullptr, nullptr, const_cast<char**>(words), const_cast<char**>(variables));
  }
  ~secret_holder() {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  secret_holder(const secret_holder&) = delete;
  secret_holder& operator=(const secret_holder&) = delete;

 private:
  pid_t process_ = 0;
};

/// The child of ours that watches a command.
pid_t supervisor_of_ours() {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream status(entry.path() / "status");
    std::string text((std::istreambuf_iterator<char>(status)), {});
    if (has(text, "Name:\ttroupe-command\n") && has(text, "PPid:\t" + std::to_string(::getpid()) + "\n"))
      return std::stoi(entry.path().filename().string());
  }
  return 0;
}

const std::string look_for_secret = "cat /proc/[0-9]*/environ 2>/dev/null | grep -ac TROUPE_TEST_SECRET";

} // namespace

BOOST_FIXTURE_TEST_SUITE(shell_in_the_sandbox, sandboxed, *boost::unit_test::precondition(there_can_be_one))

BOOST_AUTO_TEST_CASE(the_workspace_is_written_and_nothing_else) {
  BOOST_TEST(shell("echo x > made; cat made; pwd") == "x\n" + folder.root().string() + "\n");
  BOOST_TEST(folder.read("made") == "x\n");
  for (const std::string place : {"/usr/x", "/etc/x", "/x", "/proc/self/comm"})
    BOOST_TEST(has(shell("echo x > " + place), "exit status"), place);
  shell("echo x > ../beside"); // in the private /tmp
  BOOST_TEST(!std::filesystem::exists(folder.outside() / "beside"));
  // what the kernel starts for a crash, as root and outside; its own value, should it be writable
  const std::string pattern = "/proc/sys/kernel/core_pattern";
  BOOST_TEST(has(shell("was=$(cat " + pattern + "); echo \"$was\" > " + pattern), "exit status"));
  BOOST_TEST(shell("echo x > /tmp/private; cat /tmp/private") == "x\n");
  BOOST_TEST(!std::filesystem::exists("/tmp/private"));
}

BOOST_AUTO_TEST_CASE(no_environment_of_ours_is_read_through_proc) {
  const secret_holder holder;
  BOOST_TEST(shell(look_for_secret) == "0\n[exit status 1]");
  BOOST_TEST(shell("ls -d /proc/[0-9]* | wc -l") != shell("true"));
  use(settings()); // the same without a sandbox: the secret is there to be found
  BOOST_TEST(shell(look_for_secret) != "0\n[exit status 1]");
}

BOOST_AUTO_TEST_CASE(what_lies_beside_the_workspace_isnt_there) {
  std::ofstream(folder.outside() / "secret") << "secret";
  BOOST_TEST(has(shell("cat " + (folder.outside() / "secret").string()), "No such file"));
  BOOST_TEST(has(shell("cat /etc/shadow"), "Permission denied"));
  auto wider = with_sandbox();
  wider.sandbox.readable = {(folder.outside() / "secret").string(), "/nowhere"};
  use(wider);
  BOOST_TEST(shell("cat " + (folder.outside() / "secret").string()) == "secret");
  BOOST_TEST(has(shell("echo x > " + (folder.outside() / "secret").string()), "Read-only"));
}

BOOST_AUTO_TEST_CASE(a_home_folder_is_empty_and_private) {
  auto at_home = with_sandbox();
  at_home.environment.push_back("HOME=" + folder.outside().string());
  std::ofstream(folder.outside() / "key") << "secret";
  use(at_home);
  BOOST_TEST(shell("cd && ls && echo x > made && cat made") == "root\nx\n");
  BOOST_TEST(!std::filesystem::exists(folder.outside() / "made"));
}

BOOST_AUTO_TEST_CASE(what_is_hidden_in_the_workspace_is_hidden_from_commands_and_from_tools) {
  for (const std::string command :
      {"cat conf/troupe.toml", "ls data/socket", "rm conf/troupe.toml", "rmdir data", "mv conf/troupe.toml x",
          "ln conf/troupe.toml x", "echo x > conf/troupe.toml && cat conf/troupe.toml"})
    BOOST_TEST(has(shell(command), "exit status"), command);
  BOOST_TEST(has(read("conf/troupe.toml"), "belongs to Troupe itself"));
  BOOST_TEST(has(read("data/socket"), "belongs to Troupe itself"));
  BOOST_TEST(has(text("list_dir", R"({"path":"data"})"), "belongs to Troupe itself"));
  BOOST_TEST(
      has(text("write_file", R"({"path":"conf/troupe.toml","content":"x"})"), "belongs to Troupe itself"));
  BOOST_TEST(has(text("write_file", R"({"path":"data/new","content":"x"})"), "belongs to Troupe itself"));
  BOOST_TEST(text("search_text", R"({"text":"secret"})") == "[nothing found]");
  BOOST_TEST(folder.read("conf/troupe.toml") == "secret");
}

BOOST_AUTO_TEST_CASE(what_is_hidden_stays_so_when_the_folder_around_it_is_moved) {
  BOOST_TEST(has(shell("mv conf other && cat other/troupe.toml"), "exit status"));
  BOOST_TEST(has(shell("cat other/troupe.toml"), "exit status"));
  BOOST_TEST(has(read("other/troupe.toml"), "belongs to Troupe itself"));
  folder.write("conf/troupe.toml", "a new secret");
  BOOST_TEST(has(shell("cat conf/troupe.toml"), "exit status"));
}

BOOST_AUTO_TEST_CASE(the_network_is_off_unless_it_is_wanted) {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  BOOST_REQUIRE(::bind(listener, reinterpret_cast<sockaddr*>(&address), length) == 0);
  BOOST_REQUIRE(::listen(listener, 4) == 0);
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length);
  const std::string connect = "bash -c 'exec 3<>/dev/tcp/127.0.0.1/" + std::to_string(ntohs(address.sin_port))
      + "' 2>/dev/null && echo connected";
  BOOST_TEST(!has(shell(connect), "connected"));
  auto open = with_sandbox();
  open.sandbox.network = true;
  use(open);
  BOOST_TEST(shell(connect) == "connected\n");
  ::close(listener);
}

BOOST_AUTO_TEST_CASE(nothing_in_it_has_a_privilege) {
  BOOST_TEST(shell("grep -E 'Cap(Prm|Eff|Bnd)|NoNewPrivs' /proc/self/status | tr -d '\\t '")
      == "CapPrm:0000000000000000\nCapEff:0000000000000000\nCapBnd:0000000000000000\nNoNewPrivs:1\n");
  BOOST_TEST(has(shell("mount -t tmpfs none /etc"), "exit status"));
}

BOOST_AUTO_TEST_CASE(the_exit_and_the_output_are_those_of_the_command) {
  const auto failed = run("shell", R"({"command":"echo one; echo two >&2; exit 3"})");
  BOOST_TEST(plain_text(failed.content) == "one\ntwo\n[exit status 3]");
  BOOST_TEST(!failed.is_error);
  BOOST_TEST(failed.details->text == R"({"exit_status":3,"output_bytes":8})");
  BOOST_TEST(shell("true") == "[no output]");
  BOOST_TEST(shell("kill -SEGV $$") == "[exit status 139, as after signal 11 (Segmentation fault)]");
  BOOST_TEST(shell("cat; tty; ls /proc/self/fd | tr '\\n' ' '") == "not a tty\n0 1 2 3 ");
  BOOST_TEST(shell("echo \"it's \\$HOME\"") == "it's $HOME\n");
}

BOOST_AUTO_TEST_CASE(what_is_left_in_the_background_is_ended_and_said) {
  const int held = open_pipe("held");
  BOOST_TEST(
      shell("sh -c 'exec 5>held; echo x >&5; setsid sh -c \"trap : TERM HUP; echo > up; sleep 1000\" & "
            "sleep 1000' & while [ ! -e up ]; do sleep 0.01; done; echo done")
      == "done\n[what the command left running in the background was ended]");
  BOOST_TEST(is_let_go(held));
  ::close(held);
}

BOOST_AUTO_TEST_CASE(a_command_beyond_its_time_may_end_kindly_and_then_must) {
  const auto kind = run("shell",
      R"({"command":"trap 'echo cleaned; exit 0' TERM; while :; do sleep 0.01; done","timeout_ms":1500})");
  BOOST_TEST(has(plain_text(kind.content), "cleaned"));
  BOOST_TEST(has(plain_text(kind.content), "the time of 1500 ms was up"));
  const int held = open_pipe("held");
  const auto stubborn = run("shell",
      R"({"command":"exec 5>held; trap '' TERM; setsid sh -c 'trap \"\" TERM; sleep 1000' & while :; do sleep 0.01; done","timeout_ms":1500})");
  BOOST_TEST((stubborn.error_kind == error_kind::timeout));
  BOOST_TEST(is_let_go(held));
  ::close(held);
}

BOOST_AUTO_TEST_CASE(a_stop_ends_all_of_it) {
  const int held = open_pipe("held");
  const auto stop = std::make_shared<tools::stop_source>();
  std::thread stopper([&] {
    BOOST_TEST(is_written_to(held));
    stop->stop();
  });
  const auto stopped =
      run("shell", R"({"command":"echo before; exec 5>held; echo x >&5; sleep 1000"})", stop);
  stopper.join();
  BOOST_TEST(stopped.aborted);
  BOOST_TEST(plain_text(stopped.content) == "before\n[stopped on request]");
  BOOST_TEST(is_let_go(held));
  ::close(held);
  BOOST_TEST(run("shell", R"({"command":"sleep 1000"})", stop).aborted); // before it began
}

BOOST_AUTO_TEST_CASE(when_we_are_killed_nothing_of_it_is_left) {
  const int held = open_pipe("held");
  const pid_t victim = ::fork();
  if (victim == 0) {
    ::setpgid(0, 0);
    ::close(held);
    std::thread worker([this] {
      shell("exec 5>held; setsid sh -c 'trap \"\" TERM HUP; echo x >&5; sleep 1000' & sleep 1000");
    });
    worker.join();
    ::_exit(0);
  }
  ::setpgid(victim, victim);
  BOOST_TEST(is_written_to(held));
  ::kill(-victim, SIGKILL);
  ::waitpid(victim, nullptr, 0);
  BOOST_TEST(is_let_go(held));
  ::close(held);
}

BOOST_AUTO_TEST_CASE(when_the_watching_process_is_killed_the_call_ends_and_nothing_is_left) {
  const int held = open_pipe("held");
  std::thread killer([&] {
    BOOST_TEST(is_written_to(held));
    ::kill(supervisor_of_ours(), SIGKILL);
  });
  const auto lost = run("shell", R"({"command":"exec 5>held; echo x >&5; sleep 1000"})");
  killer.join();
  BOOST_TEST(lost.is_error);
  BOOST_TEST(has(plain_text(lost.content), "the process that watches the command is gone"));
  BOOST_TEST(is_let_go(held));
  ::close(held);
}

BOOST_AUTO_TEST_CASE(no_zombie_and_no_descriptor_is_left_by_it) {
  shell("true");
  const auto open_files = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  const auto before = open_files();
  for (int i = 0; i < 10; ++i)
    shell("sleep 1000 & true");
  BOOST_TEST(open_files() == before);
  BOOST_TEST(::waitpid(-1, nullptr, WNOHANG) == -1);
}

BOOST_AUTO_TEST_CASE(a_sandbox_that_fails_later_is_an_error_not_an_exit) {
  std::filesystem::rename(folder.root(), folder.outside() / "elsewhere");
  const auto failed = run("shell", R"({"command":"echo ran"})");
  std::filesystem::rename(folder.outside() / "elsewhere", folder.root());
  BOOST_TEST(failed.is_error);
  BOOST_TEST(has(plain_text(failed.content), "[the sandbox failed, the command didn't run]"));
}

BOOST_AUTO_TEST_CASE(the_trial_says_what_it_found) {
  BOOST_TEST(use(with_sandbox()).words.starts_with("bubblewrap "));
  BOOST_TEST(use(with_sandbox()).words.ends_with(" works"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(sandbox_trial, workspace_fixture)

BOOST_AUTO_TEST_CASE(without_bubblewrap_auto_goes_on_and_required_is_refused) {
  auto bare = settings();
  bare.sandbox.program = "/nowhere/bwrap";
  bare.sandbox.mode = sandbox_mode::automatic;
  const auto found = use(bare);
  BOOST_TEST(!found.works);
  BOOST_TEST(found.words == "bubblewrap isn't there; install it: apt-get install bubblewrap");
  BOOST_TEST(shell("echo x") == "x\n");
  bare.sandbox.mode = sandbox_mode::required;
  const auto refused = tools::examine_workspace(bare);
  BOOST_REQUIRE(refused.has_error());
  BOOST_TEST((refused.error().code == problem_code::unsupported));
  BOOST_TEST(has(refused.error().detail, "apt-get install bubblewrap"));
}

BOOST_AUTO_TEST_CASE(a_bubblewrap_that_doesnt_work_is_told_with_what_it_said) {
  auto broken = settings();
  broken.sandbox.program = (folder.outside() / "bwrap").string();
  std::ofstream(broken.sandbox.program)
      << "#!/bin/sh\n[ \"$1\" = --version ] && echo bubblewrap 9.9 && exit 0\n"
         "echo 'no permission to make a namespace'; exit 1\n";
  ::chmod(broken.sandbox.program.c_str(), 0755);
  broken.sandbox.mode = sandbox_mode::automatic;
  const auto found = use(broken);
  BOOST_TEST(!found.works);
  BOOST_TEST(
      has(found.words, "bubblewrap 9.9 is there but doesn't work here (no permission to make a namespace)"));
}

BOOST_AUTO_TEST_CASE(settings_that_contradict_themselves_are_refused) {
  auto odd = settings();
  odd.sandbox.mode = sandbox_mode::automatic;
  odd.sandbox.readable = {"relative"};
  BOOST_TEST(has(tools::examine_workspace(odd).error().detail, "isn't an absolute path"));
  odd.sandbox.readable.clear();
  odd.sandbox.hidden = {folder.root().string()};
  BOOST_TEST(has(tools::examine_workspace(odd).error().detail, "holds Troupe's own data"));
}

BOOST_AUTO_TEST_SUITE_END()
