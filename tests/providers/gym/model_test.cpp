// The small model: prompts, and what it makes of them.
#include "providers/gym/model.hpp"

#include <boost/test/unit_test.hpp>

namespace troupe::providers::gym {

BOOST_AUTO_TEST_SUITE(gym_model)

namespace {

seen_tool tool(std::string name, std::string properties, std::string required = "[]") {
  return {std::move(name), "does it",
      {R"({"type":"object","properties":)" + properties + R"(,"required":)" + required + "}"}};
}

const std::vector<seen_tool> workspace{
    tool("read_file", R"({"path":{"type":"string"},"offset":{"type":"integer"}})", R"(["path"])"),
    tool("write_file", R"({"path":{"type":"string"},"content":{"type":"string"}})", R"(["path","content"])"),
    tool("edit_file",
        R"({"path":{"type":"string"},"old_text":{"type":"string"},"new_text":{"type":"string"}})",
        R"(["path","old_text","new_text"])"),
    tool("list_dir", R"({"path":{"type":"string"}})"),
    tool("search_text", R"({"pattern":{"type":"string"},"path":{"type":"string"}})", R"(["pattern"])"),
    tool("shell", R"({"command":{"type":"string"},"timeout_ms":{"type":"integer"}})", R"(["command"])"),
};

conversation hears(std::string prompt, std::vector<seen_tool> tools = workspace) {
  conversation heard;
  heard.last_user_text = std::move(prompt);
  heard.tools = std::move(tools);
  return heard;
}

std::string answer_to(const conversation& heard) {
  auto steps = improvise(heard);
  if (const auto* call = std::get_if<call_tool>(&steps.back()))
    return call->name + " " + call->arguments;
  return "says " + std::get<say>(steps.back()).text;
}

void calls(const std::string& prompt, const std::string& expected, std::vector<seen_tool> tools = workspace) {
  BOOST_TEST(
      answer_to(hears(prompt, std::move(tools))) == expected, prompt + " → " + answer_to(hears(prompt)));
}

} // namespace

BOOST_AUTO_TEST_CASE(files_and_the_shell) {
  calls("Read notes.txt", R"(read_file {"path":"notes.txt"})");
  calls(
      "Please read the file docs/plan.md and tell me what it says.", R"(read_file {"path":"docs/plan.md"})");
  calls("What is in `README.md`?", R"(read_file {"path":"README.md"})");
  calls("what's in notes.txt?", R"(read_file {"path":"notes.txt"})");
  calls("Summarize ./src/main.cpp", R"(read_file {"path":"./src/main.cpp"})");
  calls("Write \"hello world\" to out.txt", R"(write_file {"path":"out.txt","content":"hello world"})");
  calls("Create a file hello.txt containing hi there.",
      R"(write_file {"path":"hello.txt","content":"hi there"})");
  calls("write it's done to a.txt", R"(write_file {"path":"a.txt","content":"it's done"})");
  calls("In config.toml replace 'old' with 'new'",
      R"(edit_file {"path":"config.toml","old_text":"old","new_text":"new"})");
  calls("Run `ls -la`", R"(shell {"command":"ls -la"})");
  calls("Run the command uname -a.", R"(shell {"command":"uname -a"})");
  calls("Execute echo hi in the shell", R"(shell {"command":"echo hi"})");
  calls("List the files", R"(list_dir {"path":"."})");
  calls("list docs/", R"(list_dir {"path":"docs/"})");
  calls("Search for 'needle'", R"(search_text {"pattern":"needle","path":"."})");
}

BOOST_AUTO_TEST_CASE(tools_of_any_kind) {
  std::vector<seen_tool> tools{
      tool("add", R"({"a":{"type":"number"},"b":{"type":"number"}})", R"(["a","b"])"),
      tool("get_weather",
          R"({"city":{"type":"string"},"unit":{"type":"string","enum":["celsius","fahrenheit"]}})",
          R"(["city"])")};
  calls("What is 2 + 3?", R"(add {"a":2,"b":3})", tools);
  calls("add 2.5 and -7", R"(add {"a":2.5,"b":-7})", tools);
  calls("What's the weather in Paris, fahrenheit?",
      R"(get_weather {"city":"Paris, fahrenheit","unit":"fahrenheit"})", tools);
  calls("use get_weather for 'Rome'", R"(get_weather {"city":"Rome","unit":"celsius"})", tools);
}

BOOST_AUTO_TEST_CASE(words_where_nothing_is_to_be_done) {
  BOOST_TEST(answer_to(hears("What can you do?")).find("- read_file: does it") != std::string::npos);
  BOOST_TEST(answer_to(hears("What can you do?", {})).find("No tools are offered") != std::string::npos);
  BOOST_TEST(answer_to(hears("Good morning")).find("You said: “Good morning”") != std::string::npos);
  BOOST_TEST(answer_to(hears("Read notes.txt", {})).find("You said") != std::string::npos);
  BOOST_TEST(answer_to(hears("")).find("gym") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(one_thing_after_the_other_and_an_end) {
  auto heard = hears("Write 'x' to a.txt. Then read a.txt, then run `wc a.txt`");
  BOOST_TEST(answer_to(heard) == R"(write_file {"path":"a.txt","content":"x"})");
  heard.results.push_back({"write_file", "ok", false});
  BOOST_TEST(answer_to(heard) == R"(read_file {"path":"a.txt"})");
  heard.results.push_back({"read_file", "x", false});
  BOOST_TEST(answer_to(heard) == R"(shell {"command":"wc a.txt"})");
  heard.results.push_back({"shell", "0 1 1 a.txt", false});
  auto end = answer_to(heard);
  BOOST_TEST(end.starts_with("says "));
  BOOST_TEST(end.find("0 1 1 a.txt") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_failure_is_reported_and_ends_it) {
  auto heard = hears("read a.txt then read b.txt");
  heard.results.push_back({"read_file", "no such file", true});
  BOOST_TEST(answer_to(heard) == "says read_file failed: no such file");
}

BOOST_AUTO_TEST_CASE(any_prompt_gives_an_answer) {
  for (const std::string prompt : {"'", "\"`'", "run", "read", "then then then", "..", "a/b/c/'d' \"e",
           "write to .", "🙂'🙂' . ; !", "-", "- 1 + 2 + 3", "\n\n\n"})
    BOOST_TEST(!answer_to(hears(prompt)).empty());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::providers::gym
