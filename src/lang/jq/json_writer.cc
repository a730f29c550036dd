#include "lang/jq/json_writer.h"

#include "base/budget.h"
#include "lang/jq/number.h"
#include "text/utf8.h"

namespace paddock::jq {
namespace {

constexpr size_t kMaxDepth = 10000;
constexpr std::string_view kReset = "\x1b[0m";

// What the byte is written as: itself (0), a letter after a backslash, or \u (1). Bytes above 126 need a look.
constexpr std::array<char, 256> kEscapes = [] {
  std::array<char, 256> escapes{};
  for (size_t c = 0; c < 32; ++c) escapes[c] = 1;
  escapes['\b'] = 'b';
  escapes['\f'] = 'f';
  escapes['\n'] = 'n';
  escapes['\r'] = 'r';
  escapes['\t'] = 't';
  escapes['"'] = '"';
  escapes['\\'] = '\\';
  escapes[127] = 1;
  return escapes;
}();

void AppendUnicode(std::string& out, uint32_t code) {
  constexpr char kHex[] = "0123456789abcdef";
  if (code > 0xffff) {
    AppendUnicode(out, 0xd800 + ((code - 0x10000) >> 10));
    code = 0xdc00 + ((code - 0x10000) & 0x3ff);
  }
  out += "\\u";
  for (const int shift : {12, 8, 4, 0}) out += kHex[(code >> shift) & 15];
}

class Writer {
 public:
  Writer(const WriteStyle& style, std::string& out, Budget& budget) : style_(style), out_(out), budget_(budget) {}

  void Write(const Value& value, size_t depth) {
    budget_.Step();
    if (depth > kMaxDepth) {
      out_ += "<skipped: too deep>";
      return;
    }
    if (value.is_array()) return WriteArray(value, depth);
    if (value.is_object()) return WriteObject(value, depth);
    const std::string* const color = ColorOf(value);
    if (color != nullptr) Start(*color);
    WriteScalar(value);
    if (color != nullptr) out_ += kReset;
  }

 private:
  const std::string* ColorOf(const Value& value) const {
    if (style_.colors == nullptr) return nullptr;
    const auto code = [this](Colors::Of of) { return &style_.colors->codes[of]; };
    switch (value.kind()) {
      case Kind::kNull: return code(Colors::kNull);
      case Kind::kFalse: return code(Colors::kFalse);
      case Kind::kTrue: return code(Colors::kTrue);
      case Kind::kString: return code(Colors::kString);
      case Kind::kArray: return code(Colors::kArray);
      case Kind::kObject: return code(Colors::kObject);
      default: return code(Colors::kNumber);
    }
  }
  void Start(const std::string& color) {
    out_ += "\x1b[";
    out_ += color;
    out_ += 'm';
  }
  void Start(const std::string* color) {
    if (color != nullptr) Start(*color);
  }
  void Reset(const std::string* color) {
    if (color != nullptr) out_ += kReset;
  }

  void WriteScalar(const Value& value) {
    switch (value.kind()) {
      case Kind::kNull: out_ += "null"; break;
      case Kind::kFalse: out_ += "false"; break;
      case Kind::kTrue: out_ += "true"; break;
      case Kind::kString:
        budget_.Step(static_cast<int64_t>(value.view().size() / 64));
        WriteJsonString(value.view(), style_.is_ascii, out_);
        break;
      case Kind::kInvalid: out_ += "<invalid>"; break;
      default: {
        char buffer[kNumberBytes];
        out_ += NumberText(value, buffer);
      }
    }
  }

  void NewLine(size_t depth) {
    if (!style_.is_pretty()) return;
    out_ += '\n';
    if (style_.uses_tabs) {
      out_.append(depth, '\t');
    } else {
      out_.append(depth * static_cast<size_t>(style_.indent), ' ');
    }
    budget_.Step(static_cast<int64_t>(depth / 16));
    if (out_.capacity() - out_.size() < depth * 8) budget_.WillAllocate(out_.capacity());
  }

  void WriteArray(const Value& array, size_t depth) {
    budget_.CheckStack();
    const std::string* const color = ColorOf(array);
    Start(color);
    out_ += '[';
    bool is_first = true;
    for (const Value& element : array) {
      if (!is_first) out_ += ',';
      is_first = false;
      NewLine(depth + 1);
      Write(element, depth + 1);
      Start(color);
    }
    if (!is_first) {
      NewLine(depth);
      Start(color);
    }
    out_ += ']';
    Reset(color);
  }

  void WriteMember(const Value& object, Text* key, const Value& value, size_t depth) {
    const std::string* const color = ColorOf(object);
    NewLine(depth + 1);
    if (color != nullptr) {
      out_ += kReset;
      Start(style_.colors->codes[Colors::kKey]);
    }
    WriteJsonString(key->view(), style_.is_ascii, out_);
    Reset(color);
    Start(color);
    out_ += ':';
    if (style_.is_pretty()) out_ += ' ';
    Reset(color);
    Write(value, depth + 1);
    Start(color);
  }

  void WriteObject(const Value& object, size_t depth) {
    budget_.CheckStack();
    const std::string* const color = ColorOf(object);
    Start(color);
    out_ += '{';
    bool is_first = true;
    const auto write = [&](Text* key, const Value& value) {
      if (!is_first) out_ += ',';
      is_first = false;
      WriteMember(object, key, value, depth);
    };
    if (style_.sorts_keys) {
      for (Text* const key : object.SortedKeys()) write(key, *object.Find(key));
    } else {
      size_t cursor = 0;
      Text* key = nullptr;
      const Value* value = nullptr;
      while (object.Next(cursor, key, value)) write(key, *value);
    }
    if (!is_first) {
      NewLine(depth);
      Start(color);
    }
    out_ += '}';
    Reset(color);
  }

  const WriteStyle& style_;
  std::string& out_;
  Budget& budget_;
};

}  // namespace

bool Colors::Set(std::string_view spec) {
  constexpr size_t kLongest = 12;
  for (size_t i = 0; i < kCount; ++i) {
    const size_t end = spec.find(':');
    const std::string_view code = spec.substr(0, end);
    if (code.size() > kLongest || code.find_first_not_of("0123456789;") != std::string_view::npos) return false;
    codes[i] = code;
    if (end == std::string_view::npos) return true;
    spec.remove_prefix(end + 1);
    if (spec.empty()) return true;
  }
  return true;
}

void WriteJsonString(std::string_view text, bool is_ascii, std::string& out) {
  out += '"';
  size_t plain = 0;
  for (size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const char escape = kEscapes[c];
    if (escape == 0 && (c < 0x80 || !is_ascii)) {
      ++i;
      continue;
    }
    out.append(text, plain, i - plain);
    if (escape > 1) {
      out += '\\';
      out += escape;
      ++i;
    } else {
      const DecodedChar decoded = DecodeUtf8(text.substr(i));
      AppendUnicode(out, decoded.code);
      i += decoded.length;
    }
    plain = i;
  }
  out.append(text, plain);
  out += '"';
}

void WriteJson(const Value& value, const WriteStyle& style, std::string& out, Budget& budget) {
  Writer(style, out, budget).Write(value, 0);
}

std::string JsonText(const Value& value, Budget& budget) {
  std::string out;
  WriteJson(value, {}, out, budget);
  return out;
}

}  // namespace paddock::jq
