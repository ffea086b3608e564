// Confinement: no path leads out of the workspace, whatever it is made of and whatever changes.
#include "tests/tools/scratch.hpp"

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

using namespace troupe;
using tools::root;
using tools::testing::scratch;

namespace {

std::string text_of(const tools::descriptor& file) {
  char buffer[256];
  const ssize_t got = ::read(file.get(), buffer, sizeof buffer);
  return std::string(buffer, got < 0 ? 0 : static_cast<std::size_t>(got));
}

struct both_ways {
  scratch folder;
  std::shared_ptr<root> by_kernel = root::open(folder.root().string(), root::resolution::by_kernel).value();
  std::shared_ptr<root> by_name = root::open(folder.root().string(), root::resolution::by_name).value();
  both_ways() {
    folder.write("in.txt", "inside");
    folder.write("sub/deep.txt", "deep");
    std::ofstream(folder.outside() / "secret") << "secret";
  }
  std::vector<std::shared_ptr<root>> each() const { return {by_kernel, by_name}; }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(workspace_root, both_ways)

BOOST_AUTO_TEST_CASE(files_inside_are_opened_by_relative_and_by_absolute_path) {
  for (const auto& tried : each()) {
    BOOST_TEST(text_of(tried->open_file("in.txt").value()) == "inside");
    BOOST_TEST(text_of(tried->open_file("sub/../sub/./deep.txt").value()) == "deep");
    BOOST_TEST(text_of(tried->open_file((folder.root() / "sub/deep.txt").string()).value()) == "deep");
  }
}

BOOST_AUTO_TEST_CASE(no_path_leads_out) {
  std::filesystem::create_symlink(folder.outside() / "secret", folder.root() / "absolute_link");
  std::filesystem::create_symlink("../secret", folder.root() / "relative_link");
  std::filesystem::create_symlink("..", folder.root() / "folder_link");
  std::filesystem::create_symlink("/proc/self/root", folder.root() / "magic");
  for (const auto& tried : each())
    for (const std::string path :
        {"../secret", "sub/../../secret", "..", "/etc/passwd", "absolute_link", "relative_link",
            "folder_link/secret", "magic/etc/passwd", "/proc/self/environ", "sub/../..//secret"})
      BOOST_TEST(tried->open_file(path).has_error(), path);
  for (const auto& tried : each())
    for (const std::string path : {"../new", "folder_link/new", "absolute_link", "relative_link", "/tmp/new"})
      BOOST_TEST(tried->place_for(path, true).has_error(), path);
  BOOST_TEST(std::filesystem::exists(folder.outside() / "new") == false);
}

BOOST_AUTO_TEST_CASE(links_that_stay_inside_are_followed_where_the_kernel_resolves) {
  std::filesystem::create_symlink("sub/deep.txt", folder.root() / "link");
  BOOST_TEST(text_of(by_kernel->open_file("link").value()) == "deep");
  BOOST_TEST(by_name->open_file("link").has_error());
  BOOST_TEST(by_kernel->place_for("link", false).value().name == "deep.txt");
}

BOOST_AUTO_TEST_CASE(links_in_a_circle_end) {
  std::filesystem::create_symlink("b", folder.root() / "a");
  std::filesystem::create_symlink("a", folder.root() / "b");
  BOOST_TEST(by_kernel->open_file("a").has_error());
  BOOST_TEST(by_kernel->place_for("a", false).has_error());
}

BOOST_AUTO_TEST_CASE(only_regular_files_are_opened_and_a_pipe_doesnt_hold_us) {
  ::mkfifo((folder.root() / "pipe").c_str(), 0600);
  const bool has_device =
      ::mknod((folder.root() / "device").c_str(), S_IFCHR | 0600, makedev(1, 5)) == 0; // root only
  for (const auto& tried : each()) {
    BOOST_TEST(tried->open_file("pipe").error().detail.find("not a regular file") != std::string::npos);
    BOOST_TEST(tried->open_file("sub").error().detail.find("is a folder") != std::string::npos);
    if (has_device)
      BOOST_TEST(tried->open_file("device").error().detail.find("not a regular file") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(odd_paths_are_refused_in_words) {
  for (const auto& tried : each()) {
    BOOST_TEST(tried->open_file("").error().detail == "the path is empty");
    BOOST_TEST(tried->open_file(std::string_view("in.txt\0x", 8)).error().detail
        == "the path holds a NUL character");
    BOOST_TEST(tried->open_file(std::string(5000, 'a')).error().detail.find("too long") != std::string::npos);
    BOOST_TEST(tried->open_file(std::string(300, 'a')).error().detail.find("too long") != std::string::npos);
    BOOST_TEST(tried->open_file("nothing").error().detail == "\"nothing\" doesn't exist");
    BOOST_TEST(tried->open_file("in.txt/x").has_error());
    BOOST_TEST((tried->open_file("nothing").error().code == problem_code::not_found));
  }
}

BOOST_AUTO_TEST_CASE(a_link_swapped_in_at_any_moment_never_gives_what_is_outside) {
  std::filesystem::create_directory(folder.outside() / "trap");
  std::ofstream(folder.outside() / "trap/deep.txt") << "secret";
  std::atomic<bool> over = false;
  std::thread swapper([&] {
    const auto place = folder.root() / "swap";
    while (!over) {
      std::error_code ignored;
      std::filesystem::remove(place, ignored);
      std::filesystem::create_symlink(folder.root() / "sub", place, ignored);
      std::filesystem::remove(place, ignored);
      std::filesystem::create_symlink("../trap", place, ignored);
      std::filesystem::remove(place, ignored);
      std::filesystem::create_symlink("sub", place, ignored);
    }
  });
  for (int round = 0; round < 3000; ++round)
    for (const auto& tried : each()) {
      if (const auto file = tried->open_file("swap/deep.txt"); file.has_value())
        BOOST_TEST(text_of(*file) == "deep");
      if (const auto place = tried->place_for("swap/made", false); place.has_value())
        BOOST_TEST(::faccessat(place->folder.get(), "deep.txt", F_OK, 0) == 0);
    }
  over = true;
  swapper.join();
}

BOOST_AUTO_TEST_CASE(a_root_that_is_no_folder_is_refused) {
  BOOST_TEST(root::open((folder.root() / "in.txt").string()).has_error());
  BOOST_TEST(root::open((folder.root() / "missing").string()).has_error());
}

BOOST_AUTO_TEST_SUITE_END()
