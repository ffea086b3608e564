// A tool from a function: the schemas, the parsing, the checks and the rendering come from its types.
//
//   struct weather_query { std::string city; std::optional<int> days; };
//   BOOST_DESCRIBE_STRUCT(weather_query, (), (city, days))
//   auto weather = define_tool("weather", "The weather in a city",
//       [](const call& call, const weather_query& query) -> forecast { … })
//     .argument("days", "How many days ahead, 1 to 7").idempotent();
#pragma once

#include "tools/described_schema.hpp"
#include "tools/described_value.hpp"
#include "tools/tool.hpp"

#include <boost/callable_traits.hpp>

namespace troupe::tools {

/// A tool that is being defined: a value that shares the tool. Finish it before it is registered.
class tool_definition {
 public:
  using body = std::function<output(const call&, const json::value&)>;
  using make_schema = json::raw (*)(const described::remarks&);

  /// `schema` makes the parameters from the remarks on them; null: they are given in `spec`.
  tool_definition(tool_spec spec, body function, make_schema schema = nullptr);

  /// Says what an argument means. Throws `std::invalid_argument` where there is no such argument.
  tool_definition& argument(std::string_view name, std::string remark);
  tool_definition& idempotent();
  tool_definition& durable();
  /// Old outputs may be left out of a context: asking again gives them.
  tool_definition& clearable();
  tool_definition& sequential();
  tool_definition& shared();
  tool_definition& coerce();
  tool_definition& on_interrupted(interrupted_policy policy);
  tool_definition& timeout(std::chrono::milliseconds bound);

  operator std::shared_ptr<tool>() const;
  std::shared_ptr<tool> get() const { return *this; }

 private:
  struct function_tool;
  std::shared_ptr<function_tool> tool_;
  make_schema schema_;
  described::remarks remarks_;
};

namespace described {

/// The output for the arguments that a function can't be given.
output mismatch(std::string_view tool, const reading& at);

template <class R> output rendered(R&& value) {
  using T = std::remove_cvref_t<R>;
  output out;
  if constexpr (std::is_same_v<T, output>) {
    return std::forward<R>(value);
  } else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, content>) {
    out.content = content(std::forward<R>(value));
  } else {
    json::writer text;
    write(text, value);
    out.content = content(text.take());
  }
  return out;
}

template <class F, class... A> output call_and_render(F& function, A&&... arguments) {
  if constexpr (std::is_void_v<std::invoke_result_t<F&, A...>>) {
    function(std::forward<A>(arguments)...);
    return rendered(std::string("Done."));
  } else {
    return rendered(function(std::forward<A>(arguments)...));
  }
}

template <class F> using result_of = std::remove_cvref_t<boost::callable_traits::return_type_t<F>>;
template <class F>
using last_argument =
    std::remove_cvref_t<mp11::mp_back<mp11::mp_rename<boost::callable_traits::args_t<F>, mp11::mp_list>>>;
template <class R>
inline constexpr bool has_schema =
    !std::is_void_v<
        R> && !std::is_same_v<R, output> && !std::is_same_v<R, content> && !std::is_same_v<R, std::string>;

/// Calls with or without the `call`, as the function wants it.
template <class F, class A> output apply(F& function, const call& call, const A& arguments) {
  if constexpr (std::is_invocable_v<F&, const tools::call&, const A&>)
    return call_and_render(function, call, arguments);
  else
    return call_and_render(function, arguments);
}

} // namespace described

/// A tool over described structs: `function(const call&, const Arguments&)` or `function(const
/// Arguments&)`. It may return a described type, a string, `content`, `output`, or nothing.
template <class F> tool_definition define_tool(std::string name, std::string description, F function) {
  using arguments_type = described::last_argument<F>;
  using result_type = described::result_of<F>;
  TROUPE_TOOLS_DESCRIBABLE(arguments_type);
  static_assert(described::described_struct<arguments_type>,
      "the arguments of a tool are a described struct: BOOST_DESCRIBE_STRUCT");
  tool_spec spec{.name = name,
      .description = std::move(description),
      .parameters = described::schema_of<arguments_type>(),
      .result = {}};
  if constexpr (described::has_schema<result_type>)
    spec.result = described::schema_of<result_type>();
  auto body = [name = std::move(name), function = std::move(function)](
                  const call& call, const json::value& given) mutable {
    arguments_type arguments{};
    described::reading at;
    if (!described::read(given, arguments, at))
      return described::mismatch(name, at);
    return described::apply(function, call, arguments);
  };
  return {std::move(spec), std::move(body), &described::schema_of<arguments_type>};
}

/// The same for schemas that exist already: the function is given the arguments as JSON.
template <class F>
tool_definition define_tool(std::string name, std::string description, json::raw arguments_schema,
    std::optional<json::raw> result_schema, F function) {
  tool_spec spec{.name = std::move(name),
      .description = std::move(description),
      .parameters = std::move(arguments_schema),
      .result = std::move(result_schema)};
  return {std::move(spec),
      [function = std::move(function)](const call& call, const json::value& arguments) mutable {
        return described::apply(function, call, arguments);
      }};
}

} // namespace troupe::tools
