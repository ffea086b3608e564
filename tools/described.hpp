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
#include "tools/reply.hpp"
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
  /// Numbers given as strings and the like are accepted.
  tool_definition& coerce();
  /// Brings arguments of an older form into that of the schema, before they are checked (`tool`).
  tool_definition& prepare_arguments(std::function<json::raw(const json::raw&)> into_form);
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

} // namespace described

/// Where a tool gives its output that doesn't return it: kept as long as it takes, used on any thread, once.
template <class R = output> class reply {
 public:
  explicit reply(reply_line line) : line_(std::move(line)) {}
  void operator()(R value) const { line_.give(described::rendered(std::move(value))); }
  /// Instead of a value: the call has failed.
  void fail(std::string why) const {
    output failed;
    failed.content = content(std::move(why));
    failed.is_error = true;
    line_.give(std::move(failed));
  }

 private:
  reply_line line_;
};

namespace described {

template <class T> inline constexpr bool is_reply = false;
template <class R> inline constexpr bool is_reply<reply<R>> = true;

template <class F>
using arguments_of = mp11::mp_transform<std::remove_cvref_t,
    mp11::mp_rename<boost::callable_traits::args_t<F>, mp11::mp_list>>;
/// The reply that a function takes last, or void.
template <class F>
using reply_of =
    mp11::mp_if_c<is_reply<mp11::mp_back<arguments_of<F>>>, mp11::mp_back<arguments_of<F>>, void>;
template <class R> struct replied { using type = R; };
template <class R> struct replied<reply<R>> { using type = R; };
/// What comes of a call: what the function returns, or what its reply takes.
template <class F>
using result_of = typename replied<mp11::mp_if_c<std::is_void_v<reply_of<F>>,
    std::remove_cvref_t<boost::callable_traits::return_type_t<F>>, reply_of<F>>>::type;
/// What the model gives it: the last argument, or the one before the reply.
template <class F>
using model_argument = mp11::mp_at_c<arguments_of<F>,
    mp11::mp_size<arguments_of<F>>::value - (std::is_void_v<reply_of<F>> ? 1 : 2)>;
template <class R>
inline constexpr bool has_schema =
    !std::is_void_v<
        R> && !std::is_same_v<R, output> && !std::is_same_v<R, content> && !std::is_same_v<R, std::string>;

/// Calls with or without the `call`, as the function wants it, and waits where it replies later.
template <class F, class A>
output apply(F& function, const call& call, std::string_view name, const A& arguments) {
  using later = reply_of<F>;
  if constexpr (!std::is_void_v<later>)
    return answered_later(call, name, [&](reply_line line) {
      if constexpr (std::is_invocable_v<F&, const tools::call&, const A&, later>)
        function(call, arguments, later(std::move(line)));
      else
        function(arguments, later(std::move(line)));
    });
  else if constexpr (std::is_invocable_v<F&, const tools::call&, const A&>)
    return call_and_render(function, call, arguments);
  else
    return call_and_render(function, arguments);
}

} // namespace described

/// A tool over described structs: `function(const call&, const Arguments&)` or `function(const
/// Arguments&)`. It may return a described type, a string, `content`, `output`, or nothing; or take a
/// `reply<R>` last, and answer by that when it can: what it was given is gone when it returns, so it keeps
/// copies.
template <class F> tool_definition define_tool(std::string name, std::string description, F function) {
  using arguments_type = described::model_argument<F>;
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
    return described::apply(function, call, name, arguments);
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
  auto body = [name = spec.name, function = std::move(function)](
                  const call& call, const json::value& arguments) mutable {
    return described::apply(function, call, name, arguments);
  };
  return {std::move(spec), std::move(body)};
}

} // namespace troupe::tools
