// Reading, writing and editing files of the workspace.
#include "tests/tools/scratch.hpp"
#include "tools/workspace/edit.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <thread>

#include <sys/stat.h>

using namespace troupe;
using tools::replace_passage;
using tools::testing::has;
using tools::testing::workspace_fixture;

namespace {

std::string lines(int from, int to) {
  std::string out;
  for (int i = from; i <= to; ++i)
    out += "line " + std::to_string(i) + "\n";
  return out;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(read_file, workspace_fixture)

BOOST_AUTO_TEST_CASE(a_file_comes_as_it_is) {
  folder.write("a.txt", "one\r\ntwo");
  BOOST_TEST(read("a.txt") == "one\r\ntwo");
  folder.write("empty", "");
  BOOST_TEST(read("empty") == "[the file is empty]");
}

BOOST_AUTO_TEST_CASE(offset_and_limit_count_lines_and_the_note_says_how_to_go_on) {
  folder.write("a.txt", lines(1, 10));
  BOOST_TEST(text("read_file", R"({"path":"a.txt","offset":3,"limit":2})")
      == "line 3\nline 4\n[lines 3 to 4; the file goes on: continue with offset 5]");
  BOOST_TEST(text("read_file", R"({"path":"a.txt","offset":9,"limit":5})") == "line 9\nline 10\n");
  BOOST_TEST(text("read_file", R"({"path":"a.txt","offset":11})")
      == "\"a.txt\" has 10 lines; offset 11 is beyond its end.");
  BOOST_TEST(
      text("read_file", R"({"path":"a.txt","offset":"10"})") == "line 10\n"); // numbers in quotes are taken
}

BOOST_AUTO_TEST_CASE(a_long_file_is_cut_at_a_line_and_can_be_read_to_its_end) {
  const std::string all = lines(1, 60'000);
  folder.write("long.txt", all);
  std::string got;
  std::string offset = "1";
  for (int part = 0; part < 10 && !offset.empty(); ++part) {
    const std::string piece = text("read_file", "{\"path\":\"long.txt\",\"offset\":" + offset + "}");
    BOOST_TEST(piece.size() <= 256U * 1024U);
    const std::size_t note = piece.find("[lines ");
    got += piece.substr(0, note);
    const std::size_t next = piece.find("continue with offset ");
    offset = next == std::string::npos ? "" : piece.substr(next + 21, piece.size() - next - 22);
  }
  BOOST_TEST((got == all));
}

BOOST_AUTO_TEST_CASE(one_enormous_line_is_read_on_by_bytes) {
  std::string all = "{\"ä\":\"";
  while (all.size() < 600'000)
    all += "äöü";
  all += "\"}";
  folder.write("one.json", all);
  std::string got;
  std::string from = "0";
  for (int part = 0; part < 10 && !from.empty(); ++part) {
    const std::string piece = text("read_file", "{\"path\":\"one.json\",\"byte_offset\":" + from + "}");
    BOOST_TEST(piece.size() <= 256U * 1024U);
    const std::size_t note = piece.find("\n[");
    got += piece.substr(0, note);
    const std::size_t next = piece.find("continue with byte_offset ");
    from = next == std::string::npos ? "" : piece.substr(next + 26, piece.size() - next - 27);
  }
  BOOST_TEST((got == all));
}

BOOST_AUTO_TEST_CASE(what_is_no_text_is_said_so) {
  folder.write("binary",
      std::string("\x7f"
                  "ELF\0\1",
          6));
  BOOST_TEST(has(read("binary"), "is a binary file of 6 bytes"));
  folder.write("latin", "caf\xe9\n");
  BOOST_TEST(read("latin") == "caf\uFFFD\n");
  folder.write("broken", std::string(300'000, '\xff'));
  BOOST_TEST(read("broken").size() <= 256U * 1024U);
}

BOOST_AUTO_TEST_CASE(a_refusal_says_what_and_changes_nothing) {
  const auto refused = run("read_file", R"({"path":"nothing"})");
  BOOST_TEST(refused.is_error);
  BOOST_TEST(plain_text(refused.content) == "\"nothing\" doesn't exist.");
  BOOST_TEST((refused.error_kind == error_kind::precondition));
  BOOST_TEST(has(read("../x"), "leads out of the workspace"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(write_file, workspace_fixture)

BOOST_AUTO_TEST_CASE(a_file_is_made_with_the_folders_on_the_way) {
  BOOST_TEST(text("write_file", R"({"path":"a/b/c.txt","content":"x\ny\n"})")
      == "Created a/b/c.txt (2 lines, 4 bytes).");
  BOOST_TEST(folder.read("a/b/c.txt") == "x\ny\n");
  BOOST_TEST(
      text("write_file", R"({"path":"a/b/c.txt","content":""})") == "Replaced a/b/c.txt (0 lines, 0 bytes).");
}

BOOST_AUTO_TEST_CASE(the_mode_stays_and_nothing_is_left_beside_it) {
  folder.write("run.sh", "old");
  ::chmod((folder.root() / "run.sh").c_str(), 0750);
  text("write_file", R"({"path":"run.sh","content":"new"})");
  struct stat status {};
  ::stat((folder.root() / "run.sh").c_str(), &status);
  BOOST_TEST((status.st_mode & 07777) == 0750U);
  BOOST_TEST(std::distance(std::filesystem::directory_iterator(folder.root()), {}) == 1);
}

BOOST_AUTO_TEST_CASE(what_a_cut_off_attempt_left_is_replaced_by_the_next) {
  folder.write(".troupe-0193-e", "half");
  BOOST_TEST(has(text("write_file", R"({"path":"a","content":"whole"})"), "Created a"));
  BOOST_TEST(!std::filesystem::exists(folder.root() / ".troupe-0193-e"));
}

BOOST_AUTO_TEST_CASE(only_files_are_replaced) {
  std::filesystem::create_directory(folder.root() / "folder");
  ::mkfifo((folder.root() / "pipe").c_str(), 0600);
  BOOST_TEST(has(text("write_file", R"({"path":"folder","content":"x"})"), "is a folder"));
  BOOST_TEST(has(text("write_file", R"({"path":"pipe","content":"x"})"), "is not a regular file"));
  BOOST_TEST(has(text("write_file", R"({"path":"../x","content":"x"})"), "leads out of the workspace"));
  BOOST_TEST(has(text("write_file", R"({"path":"pipe/x","content":"x"})"),
      "goes through something that isn't a folder"));
}

BOOST_AUTO_TEST_CASE(a_link_inside_is_written_through) {
  folder.write("real.txt", "old");
  std::filesystem::create_symlink("real.txt", folder.root() / "link");
  text("write_file", R"({"path":"link","content":"new"})");
  BOOST_TEST(folder.read("real.txt") == "new");
  BOOST_TEST(std::filesystem::is_symlink(folder.root() / "link"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(edit_file, workspace_fixture)

BOOST_AUTO_TEST_CASE(a_passage_that_occurs_once_is_replaced) {
  folder.write("a.txt", "one\ntwo\nthree\n");
  BOOST_TEST(text("edit_file", R"({"path":"a.txt","old_text":"two","new_text":"2"})")
      == "Replaced 1 passage in a.txt, at line 2.");
  BOOST_TEST(folder.read("a.txt") == "one\n2\nthree\n");
}

BOOST_AUTO_TEST_CASE(a_passage_that_doesnt_occur_once_changes_nothing) {
  folder.write("a.txt", "x x x");
  BOOST_TEST(has(text("edit_file", R"({"path":"a.txt","old_text":"x","new_text":"y"})"),
      "was found 3 times; it must occur once"));
  BOOST_TEST(has(text("edit_file", R"({"path":"a.txt","old_text":"z","new_text":"y"})"),
      "was not found. \"a.txt\" is unchanged."));
  BOOST_TEST(folder.read("a.txt") == "x x x");
  BOOST_TEST(has(text("edit_file", R"({"path":"a.txt","old_text":"x","new_text":"y","replace_all":true})"),
      "Replaced 3 passages"));
  BOOST_TEST(folder.read("a.txt") == "y y y");
  BOOST_TEST(has(text("edit_file", R"({"path":"none","old_text":"x","new_text":"y"})"), "doesn't exist"));
}

BOOST_AUTO_TEST_CASE(edits_at_the_same_time_lose_nothing) {
  std::string all;
  for (int i = 0; i < 16; ++i)
    all += "<" + std::to_string(i) + ">\n";
  folder.write("shared.txt", all);
  std::vector<std::thread> editors;
  for (int i = 0; i < 16; ++i)
    editors.emplace_back([this, i] {
      text("edit_file",
          R"({"path":"shared.txt","old_text":"<)" + std::to_string(i) + R"(>","new_text":"done"})");
    });
  for (auto& editor : editors)
    editor.join();
  BOOST_TEST(!has(folder.read("shared.txt"), "<"));
}

BOOST_AUTO_TEST_CASE(line_endings_are_kept) {
  BOOST_TEST(replace_passage("a\r\nb\r\nc\r\n", "a\nb", "x\ny", false).text == "x\r\ny\r\nc\r\n");
  BOOST_TEST(replace_passage("a\r\nb\r\n", "a\r\nb", "z", false).text == "z\r\n");
  BOOST_TEST(replace_passage("a\nb\r\n", "a\nb", "z\n", false).text == "z\n\r\n"); // mixed: taken as given
}

BOOST_AUTO_TEST_CASE(passages_are_counted_with_overlaps_and_hints_are_given) {
  BOOST_TEST(has(replace_passage("aaa", "aa", "b", false).why_not, "2 times"));
  BOOST_TEST(replace_passage("aaaa", "aa", "b", true).text == "bb");
  BOOST_TEST(has(replace_passage("x\n\tif (a)\n", "  if (a)", "b", false).why_not,
      "at line 2 differs from it only in white space"));
  BOOST_TEST(has(replace_passage("a", "", "b", false).why_not, "empty"));
  BOOST_TEST(has(replace_passage("a", "a", "a", false).why_not, "the same"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(looking_around, workspace_fixture)

BOOST_AUTO_TEST_CASE(a_folder_is_listed_in_order) {
  folder.write("b.txt", "12");
  folder.write("a/x", "");
  std::filesystem::create_symlink("b.txt", folder.root() / "c");
  BOOST_TEST(text("list_dir", "{}") == "a/\nb.txt (2 bytes)\nc (symbolic link)\n");
  BOOST_TEST(text("list_dir", R"({"path":"a"})") == "x (0 bytes)\n");
  BOOST_TEST(has(text("list_dir", R"({"path":".."})"), "leads out of the workspace"));
}

BOOST_AUTO_TEST_CASE(a_text_is_found_with_file_and_line) {
  folder.write("a/one.txt", "x\nneedle here\ny needle needle\n");
  folder.write("two.txt", "needle");
  folder.write(".git/hidden", "needle");
  folder.write("binary", std::string("needle\0", 7));
  std::filesystem::create_symlink("..", folder.root() / "loop");
  BOOST_TEST(text("search_text", R"({"text":"needle"})")
      == "a/one.txt:2: needle here\na/one.txt:3: y needle needle\ntwo.txt:1: needle\n");
  BOOST_TEST(text("search_text", R"({"text":"needle","path":"two.txt"})") == "two.txt:1: needle\n");
  BOOST_TEST(text("search_text", R"({"text":"absent"})") == "[nothing found]");
}

BOOST_AUTO_TEST_CASE(a_name_that_is_no_text_or_holds_a_line_end_stays_in_its_line) {
  folder.write("a\nfake.txt (1 bytes)", "needle");
  folder.write("caf\xe9", "needle");
  ::mkfifo((folder.root() / "pipe").c_str(), 0600);
  BOOST_TEST(text("list_dir", "{}")
      == "\"a\\nfake.txt (1 bytes)\" (6 bytes)\n\"caf\uFFFD\" (6 bytes)\npipe (not a regular file)\n");
  BOOST_TEST(text("search_text", R"({"text":"needle"})")
      == "\"a\\nfake.txt (1 bytes)\":1: needle\n\"caf\uFFFD\":1: needle\n");
}

BOOST_AUTO_TEST_CASE(a_folder_with_very_many_names_is_listed_from_its_beginning_and_counted) {
  for (int i = 0; i < 2'500; ++i)
    folder.write("many/" + std::to_string(10'000 + i) + std::string(120, 'x'), "");
  const std::string listed = text("list_dir", R"({"path":"many"})");
  BOOST_TEST(listed.size() <= 256U * 1024U);
  BOOST_TEST(listed.starts_with("10000x"));
  const auto shown = static_cast<std::size_t>(std::count(listed.begin(), listed.end(), '\n')) - 1;
  BOOST_TEST(shown > 1'000U);
  BOOST_TEST(has(listed, "[" + std::to_string(2'500 - shown) + " more; "));
}

BOOST_AUTO_TEST_CASE(what_is_found_is_bounded_in_lines_and_in_bytes) {
  std::string lines;
  for (int i = 0; i < 600; ++i)
    lines += "needle\n";
  folder.write("many.txt", lines);
  BOOST_TEST(text("search_text", R"({"text":"needle"})")
                 .ends_with("[the first 500 lines; search more narrowly for the rest]\n"));
  folder.write("many.txt", std::string(1'000'000, 'x') + "needle" + std::string(1'000'000, 'y'));
  const std::string found = text("search_text", R"({"text":"needle"})");
  BOOST_TEST(found.size() < 400U);
  BOOST_TEST(found.starts_with("many.txt:1: …xxx"));
  BOOST_TEST(has(found, "xneedley"));
  BOOST_TEST(found.ends_with("…\n"));
  std::string deep;
  for (int i = 0; i < 15; ++i)
    deep += std::string(250, 'd') + "/";
  lines.clear();
  for (int i = 0; i < 400; ++i)
    lines += "needle " + std::string(300, '\xff') + "\n";
  folder.write("many.txt", lines);
  BOOST_TEST(text("search_text", R"({"text":"needle"})").size() <= 256U * 1024U);
}

BOOST_AUTO_TEST_CASE(what_cant_be_searched_is_passed_over_and_said_where_it_matters) {
  folder.write("big.txt", std::string(5 * 1024 * 1024, 'x') + "needle");
  ::mkfifo((folder.root() / "pipe").c_str(), 0600);
  BOOST_TEST(text("search_text", R"({"text":"needle"})")
      == "[nothing found]\n[1 files or folders were passed over: too long, too deep or too many; use shell "
         "for them]");
  BOOST_TEST(has(text("search_text", R"({"text":"a\nb"})"), "holds a line end"));
  BOOST_TEST(has(text("search_text", R"({"text":""})"), "is empty"));
  BOOST_TEST(has(text("search_text", R"({"text":"x","path":"pipe"})"), "not a regular file"));
}

BOOST_AUTO_TEST_CASE(looking_around_stops_when_it_is_told) {
  folder.write("a.txt", "needle");
  const auto stop = std::make_shared<tools::stop_source>();
  stop->stop();
  BOOST_TEST(run("search_text", R"({"text":"needle"})", stop).aborted);
  BOOST_TEST(run("list_dir", "{}", stop).aborted);
}

BOOST_AUTO_TEST_SUITE_END()
