// A wire format as the gym serves it: requests read by its rules, answers and refusals in its words.
#pragma once

#include "providers/gym/answer.hpp"

#include <memory>

namespace troupe::providers::gym {

/// All that the gym can be asked for, for whoever asks for something else.
inline constexpr std::string_view addresses =
    "the gym knows POST /v1/messages, POST /v1/chat/completions, GET /v1/models, GET /gym/requests and "
    "POST /gym/release/NAME";

class service {
 public:
  virtual ~service() = default;
  /// The conversation of a request's body, or how the service refuses it.
  virtual std::variant<conversation, service_error> read(std::string_view body) const = 0;
  virtual std::unique_ptr<answer> make_answer(const conversation& asked, std::int64_t number) const = 0;
  /// The error that goes with a status, without a message.
  virtual service_error of_status(int status) const = 0;
  virtual service_error unknown_address(std::string_view method, std::string_view path) const = 0;
  virtual service_error wrong_method(
      std::string_view method, std::string_view path, std::string_view takes) const = 0;
  /// The error document.
  virtual std::string document(const service_error& error, std::int64_t number) const = 0;
  /// The list of models, as JSON.
  virtual std::string_view models() const = 0;
  /// The header that names a request.
  virtual std::string_view request_id_field() const = 0;
};

const service& messages_service(); ///< Anthropic's
const service& chat_service();     ///< OpenAI's Chat Completions

} // namespace troupe::providers::gym
