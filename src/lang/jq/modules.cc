#include "lang/jq/modules.h"

#include "base/budget.h"
#include "lang/jq/compiler.h"
#include "lang/jq/json_reader.h"

namespace paddock::jq {
namespace {

constexpr size_t kMostNesting = 64;

std::string JoinPaths(const std::string& directory, std::string_view path) {
  if (path.starts_with("/") || directory.empty()) return std::string(path);
  return directory.ends_with("/") ? directory + std::string(path) : directory + "/" + std::string(path);
}

std::string DirectoryOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : (slash == 0 ? "/" : path.substr(0, slash));
}

// What "~" and "$ORIGIN" at the front of a search path mean.
std::string Expand(Host& host, std::string_view path, const std::string& origin) {
  if (path == "~" || path.starts_with("~/")) return host.home() + std::string(path.substr(1));
  if (path.starts_with("$ORIGIN/")) return JoinPaths("/usr/bin", path.substr(8));
  return JoinPaths(origin, path);
}

std::vector<std::string> SearchList(Host& host, const Value* search, const std::string& origin) {
  std::vector<std::string> list;
  if (search != nullptr && search->is_string()) list.push_back(Expand(host, search->view(), origin));
  if (search != nullptr && search->is_array()) {
    for (const Value& path : *search) {
      if (path.is_string()) list.push_back(Expand(host, path.view(), origin));
    }
  }
  if (search == nullptr) list.push_back(origin);
  for (const std::string& path : host.library_paths()) list.push_back(Expand(host, path, host.program_origin()));
  return list;
}

// All values of a data file as an array.
bool ReadAllValues(std::string_view text, Budget& budget, Value& all, std::string& error) {
  bool is_given = false;
  JsonReader reader(
      [&] {
        const std::string_view block = is_given ? std::string_view() : text;
        is_given = true;
        return block;
      },
      {}, budget);
  all = Value::Array();
  for (;;) {
    Value value;
    const JsonReader::Got got = reader.Next(value);
    if (got == JsonReader::Got::kEnd) return true;
    if (got == JsonReader::Got::kError) {
      error = reader.error();
      return false;
    }
    all.Append(std::move(value));
  }
}

}  // namespace

Result<ModuleFile> FindModule(Host& host, std::string_view path, bool is_data, const Value* search,
                              const std::string& origin) {
  const std::string suffix = is_data ? ".json" : ".jq";
  const size_t slash = path.rfind('/');
  const std::string name(slash == std::string_view::npos ? path : path.substr(slash + 1));
  for (const std::string& directory : SearchList(host, search, origin)) {
    const std::string base = JoinPaths(directory, path);
    const std::string inner = base + "/" + (is_data ? name : "jq/main") + suffix;
    for (const std::string& file : {base + suffix, inner, base + "/" + name + suffix}) {
      Result<std::string> text = host.ReadModule(file);
      if (text) return ModuleFile{file, std::move(*text)};
      const Code code = text.error().code;
      if (code != Code::kNoEntry && code != Code::kNotDirectory && code != Code::kIsDirectory) return text.error();
    }
  }
  return Error(Code::kNoEntry, "module not found: " + std::string(path));
}

Value ModuleMetadata(NativeContext& context, std::string_view path) {
  const auto file = FindModule(context.host, path, false, nullptr, context.host.program_origin());
  if (!file) return context.Fail(file.error().Text());
  std::vector<Complaint> complaints;
  const std::unique_ptr<Tree> tree = Parse(file->text, true, context.budget, complaints);
  if (tree == nullptr) return context.Fail("module not found: " + std::string(path));
  Value metadata = tree->has_module ? tree->metadata : Value::Object();
  Value dependencies = Value::Array();
  for (const Import& import : tree->imports) {
    Value dependency = import.metadata;
    if (!import.name.empty()) dependency.Set("as", Value::String(import.name));
    dependency.Set("is_data", Value::Bool(import.is_data));
    dependency.Set("relpath", Value::String(import.path));
    dependencies.Append(std::move(dependency));
  }
  metadata.Set("deps", std::move(dependencies));
  Value definitions = Value::Array();
  for (const Node* const function : tree->functions) {
    definitions.Append(Value::String(function->name + "/" + std::to_string(function->parameters.size())));
  }
  metadata.Set("defs", std::move(definitions));
  return metadata;
}

bool Compiler::LoadImports(const Tree& tree, const std::string& directory, Names& names, size_t depth) {
  if (depth > kMostNesting) {
    reports_.push_back({"jq: error: modules are nested too deeply"});
    return false;
  }
  std::vector<Names> loaded;
  for (const Import& import : tree.imports) {
    loaded.emplace_back(nullptr);
    if (!LoadModule(import, directory, loaded.back(), depth)) return false;
  }
  // Of two that define the same, the first one is meant: it is bound last.
  for (size_t i = loaded.size(); i-- > 0;) BindAll(loaded[i], "", names);
  return true;
}

bool Compiler::LoadModule(const Import& import, const std::string& directory, Names& names, size_t depth) {
  const auto file = FindModule(host_, import.path, import.is_data, import.metadata.Find("search"), directory);
  if (!file) {
    reports_.push_back({"jq: error: " + std::string(file.error().Text()) + "\n"});
    return false;
  }
  if (import.is_data) {
    Value all;
    std::string error;
    if (!ReadAllValues(file->text, budget_, all, error)) {
      reports_.push_back({"jq: error: " + file->name + ": " + error});
      return false;
    }
    const uint32_t constant = ConstantNumber(std::move(all));
    for (const std::string& name : {import.name, import.name + "::" + import.name}) {
      names = Bind({Binding::kConstant, name, 0, constant, nullptr, names});
    }
    return true;
  }
  Names inside = nullptr;
  bool is_known = false;
  for (const auto& [path, known] : modules_) {
    if (path != file->name) continue;
    inside = known;
    is_known = true;
  }
  if (!is_known) {
    Source outer = std::exchange(source_, {file->text, file->name});
    std::vector<Complaint> complaints;
    std::unique_ptr<Tree> tree = Parse(source_.text, true, budget_, complaints);
    if (tree == nullptr) {
      for (const Complaint& complaint : complaints) Fail(complaint.message, complaint.span);
      return false;
    }
    scope_ = &scopes_.front();
    if (!LoadImports(*tree, DirectoryOf(file->name), inside, depth + 1)) return false;
    Names const imported = inside;
    for (const Node* const function : tree->functions) inside = BindFunction(function, inside);
    // Compiled now, so that complaints name this file.
    scope_ = &scopes_.front();
    const bool is_ok = CompilePending();
    trees_.push_back(std::move(tree));
    scope_ = &scopes_.front();
    source_ = std::move(outer);
    if (!is_ok) return false;
    // Only what the module defines itself goes out.
    Names own = nullptr;
    std::vector<const Binding*> definitions;
    for (Names at = inside; at != imported; at = at->next) definitions.push_back(at);
    for (size_t i = definitions.size(); i-- > 0;) {
      Binding copy = *definitions[i];
      copy.next = own;
      own = Bind(std::move(copy));
    }
    inside = own;
    modules_.emplace_back(file->name, inside);
  }
  BindAll(inside, import.name.empty() ? "" : import.name + "::", names);
  return true;
}

void Compiler::BindAll(Names definitions, const std::string& prefix, Names& names) {
  std::vector<const Binding*> in_order;
  for (Names at = definitions; at != nullptr; at = at->next) in_order.push_back(at);
  for (size_t i = in_order.size(); i-- > 0;) {
    Binding copy = *in_order[i];
    copy.name = prefix + copy.name;
    copy.next = names;
    names = Bind(std::move(copy));
  }
}

}  // namespace paddock::jq
