// A folder of its own for a test, gone afterwards, and the calls that tests make in it.
#pragma once

#include "tools/prepare.hpp"
#include "tools/workspace/workspace.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace troupe::tools::testing {

inline bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

class scratch {
 public:
  scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "troupe-tools-XXXXXX").string();
    base_ = ::mkdtemp(name.data());
    std::filesystem::create_directory(base_ / "root");
  }
  ~scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(base_, ignored);
  }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;

  /// The workspace's root; what is beside it is outside.
  std::filesystem::path root() const { return base_ / "root"; }
  std::filesystem::path outside() const { return base_; }

  void write(const std::string& name, std::string_view text) const {
    std::filesystem::create_directories((root() / name).parent_path());
    std::ofstream(root() / name, std::ios::binary) << text;
  }
  std::string read(const std::string& name) const {
    std::ifstream file(root() / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::filesystem::path base_;
};

/// The workspace's tools over a scratch folder.
struct workspace_fixture {
  scratch folder;
  tool_box box;
  offer tools;

  workspace_fixture() { use(settings()); }

  workspace_settings settings() const {
    workspace_settings out{
        .root = folder.root().string(), .environment = {"PATH=/usr/local/bin:/usr/bin:/bin"}, .sandbox = {}};
    out.shell_grace_ms = 300;
    return out;
  }
  /// From now on with these settings.
  sandbox_trial use(const workspace_settings& settings) {
    box = tool_box();
    auto found = add_workspace(box, settings).value();
    tools = box.everything();
    return found;
  }

  output run(const std::string& name, const std::string& arguments,
      std::shared_ptr<stop_source> stop = nullptr, std::function<void(std::string)> progress = {}) const {
    const auto prepared = prepare(tools, name, arguments);
    if (const auto* refused = std::get_if<refused_call>(&prepared)) {
      output out;
      out.content = content(refused->text);
      out.is_error = true;
      return out;
    }
    const auto& lawful = std::get<prepared_call>(prepared);
    return invoke(*lawful.tool,
        {.session = "s",
            .execution_id = "0193-e",
            .arguments = lawful.arguments,
            .stop = std::move(stop),
            .progress = std::move(progress)});
  }

  std::string text(const std::string& name, const std::string& arguments) const {
    return plain_text(run(name, arguments).content);
  }
  std::string shell(const std::string& command) const {
    return text("shell", "{\"command\":" + json::quote(command) + "}");
  }
  std::string read(const std::string& path) const {
    return text("read_file", "{\"path\":" + json::quote(path) + "}");
  }
};

} // namespace troupe::tools::testing
