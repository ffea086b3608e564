// Column by column, without a copy of what isn't kept.
#include "persistence/event_rows.hpp"

#include <charconv>

namespace troupe::persistence {

namespace {

std::int64_t whole_number(std::string_view field) {
  std::int64_t parsed = 0;
  std::from_chars(field.data(), field.data() + field.size(), parsed);
  return parsed;
}

/// `\x` and the eight bytes of a time in hexadecimal: microseconds since 2000, negative before.
timestamp time_of(std::string_view field) {
  constexpr std::int64_t from_1970_to_2000 = 946'684'800'000'000;
  constexpr std::size_t prefix = 2;
  std::uint64_t bits = 0;
  if (field.size() > prefix)
    std::from_chars(field.data() + prefix, field.data() + field.size(), bits, 16);
  return {static_cast<std::int64_t>(bits) + from_1970_to_2000};
}

} // namespace

recorded_event event_of(const seen_row& row) {
  recorded_event event;
  event.seq = whole_number(row[0].value());
  event.append_seq = event.seq - whole_number(row[1].value());
  event.command = static_cast<command_kind>(whole_number(row[2].value()));
  event.type = row[3].value();
  event.version = static_cast<std::int16_t>(whole_number(row[4].value()));
  event.at = time_of(row[5].value());
  if (row[6])
    event.run_id.emplace(*row[6]);
  event.payload = row[7].value();
  return event;
}

seen_payload payload_of(const seen_row& row) {
  return {whole_number(row[0].value()), row[1].value(),
      static_cast<std::int16_t>(whole_number(row[2].value())), row[3].value()};
}

database_fault out_of_order() { return {remedy::wait, "XX000", "the events came out of order"}; }

} // namespace troupe::persistence
