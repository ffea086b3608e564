// Messages to lines of text.
#include "cli/transcript.hpp"

#include "messages/text.hpp"

namespace troupe::cli {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

std::string shown(const large_text& text) {
  return text.loaded ? for_terminal(text.text)
                     : "[" + std::to_string(text.ref->bytes) + " bytes, " + text.ref->blob + "]";
}

void print_part(std::ostream& out, const content_part& part) {
  if (const auto* const text = std::get_if<text_part>(&part))
    out << shown(text->text) << "\n";
  else if (const auto* const image = std::get_if<image_part>(&part))
    out << "[image " << image->url.value_or(image->media_type.value_or("")) << "]\n";
  else if (const auto* const document = std::get_if<document_part>(&part))
    out << "[document " << document->name.value_or(document->url.value_or(document->media_type.value_or("")))
        << "]\n";
}

void print_block(std::ostream& out, const block& block) {
  if (const auto* const text = std::get_if<text_block>(&block)) {
    out << shown(text->text) << "\n";
  } else if (const auto* const thinking = std::get_if<thinking_block>(&block)) {
    out << "(thinking) " << shown(thinking->text) << "\n";
  } else if (const auto* const call = std::get_if<tool_call_block>(&block)) {
    out << "-> " << for_terminal(call->name) << " "
        << for_terminal(call->arguments  ? call->arguments->text
                   : call->arguments_raw ? call->arguments_raw->text
                                         : "")
        << "\n";
  } else {
    out << "[run by the provider]\n";
  }
}

} // namespace

std::string for_terminal(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
    const auto third = i + 2 < text.size() ? static_cast<unsigned char>(text[i + 2]) : 0U;
    if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F) {
      append_utf8(out, byte == 0x7F ? 0x2421 : 0x2400 + byte); // the symbol for it
    } else if (byte == 0xC2 && next >= 0x80 && next < 0xA0) {  // C1: U+009B is as good as ESC [
      out += replacement;
      i += 1;
    } else if (byte == 0xE2
        && ((next == 0x80 && third >= 0xAA && third <= 0xAE)
            || (next == 0x81 && third >= 0xA6 && third <= 0xA9))) {
      out += replacement; // what turns the direction of writing shows one thing and means another
      i += 2;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

std::string glance(std::string_view text, std::size_t bytes_max) {
  std::string line = for_terminal(text.substr(0, text.find('\n')));
  const bool cut = line.size() > bytes_max || text.find('\n') != std::string_view::npos;
  line = std::string(utf8_prefix(line, bytes_max));
  return cut ? line + " …" : line;
}

void print_transcript(std::ostream& out, const std::vector<message>& context) {
  for (const auto& message : context) {
    out << "[" << message.role << (message.is_error.value_or(false) ? ", error" : "") << "]\n";
    for (const auto& part : message.parts)
      print_part(out, part);
    for (const auto& block : message.blocks)
      print_block(out, block);
    out << "\n";
  }
}

} // namespace troupe::cli
