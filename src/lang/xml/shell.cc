#include "lang/xml/shell.h"

#include <libxml/HTMLtree.h>
#include <libxml/debugXML.h>
#include <libxml/parser.h>
#include <libxml/valid.h>
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>

#include <array>
#include <cstdio>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "lang/xml/library.h"
#include "lang/xml/lint_schema.h"

namespace paddock::xml {
namespace {

// The library looks at no clock, so the work of all commands together has an end: nodes visited, and bytes written.
constexpr size_t kMostWork = 50'000'000;
constexpr unsigned long kMostSteps = 20'000'000;   // of an expression that merges nothing
constexpr size_t kMostOutput = 32 << 20;
constexpr int kMostReplacements = 8;   // by `set`, each of which may nest 256 deep
constexpr size_t kLongestLine = 499, kLongestName = 99, kLongestArgument = 399;

using Document = Owned<xmlDoc, xmlFreeDoc>;
using XPathContext = Owned<xmlXPathContext, xmlXPathFreeContext>;
using XPathObject = Owned<xmlXPathObject, xmlXPathFreeObject>;

const xmlChar* Chars(const std::string& text) { return reinterpret_cast<const xmlChar*>(text.c_str()); }
const char* Text(const xmlChar* text) { return reinterpret_cast<const char*>(text); }

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using FilePtr = std::unique_ptr<std::FILE, Closer>;

FilePtr OpenText(std::string& text) {
  const auto write = [](void* to, const char* bytes, size_t size) -> ssize_t {
    auto& kept = *static_cast<std::string*>(to);
    if (kept.size() > kMostOutput) return 0;
    try {
      kept.append(bytes, size);
    } catch (const std::bad_alloc&) {
      return 0;
    }
    return static_cast<ssize_t>(size);
  };
  return FilePtr(fopencookie(&text, "w", {nullptr, write, nullptr, nullptr}));
}

class XmlShell {
 public:
  XmlShell(xmlDoc* document, const std::string& name, ShellSession& session, const ShellHost& host, std::string& out, std::string& errors)
      : session_(session), host_(host), out_(out), errors_(errors), file_(OpenText(out)), filename_(name) {
    Enter(document);
  }

  void Run() {
    if (file_ == nullptr || xpath_ == nullptr) return;
    std::string_view rest = std::string_view(session_.commands).substr(session_.begin);
    while (GoesOn()) {
      Put(Prompt());
      if (rest.empty()) break;
      const size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
      const std::string_view line = rest.substr(0, std::min(end, kLongestLine));
      rest.remove_prefix(line.size());
      if (!Carry(line)) break;
    }
    session_.end = session_.commands.size() - rest.size();
    std::fflush(file_.get());
  }

 private:
  using Visit = int (*)(xmlShellCtxtPtr, char*, xmlNodePtr, xmlNodePtr);
  struct Walk {
    std::string_view name;
    Visit visit;
    std::string_view mark;   // before each of the nodes that an argument finds
  };

  void Enter(xmlDoc* document) {
    context_.doc = document;
    context_.node = reinterpret_cast<xmlNodePtr>(document);
    context_.filename = filename_.data();
    context_.output = file_.get();
    xpath_.reset(xmlXPathNewContext(document));
    context_.pctxt = xpath_.get();
  }

  void Put(std::string_view text) { std::fwrite(text.data(), 1, text.size(), file_.get()); }

  bool GoesOn() {
    std::fflush(file_.get());
    if (work_ <= kMostWork && out_.size() <= kMostOutput) return true;
    errors_ += "more work than the commands of a shell may make\n";
    return false;
  }
  // False when that much more is too much.
  bool Charge(size_t work) {
    work_ += work;
    return GoesOn();
  }
  size_t CountAll() const { return CountNodes(context_.doc) + 1; }
  static size_t CountSiblings(const xmlNode* node) {
    size_t count = 1;
    for (; node != nullptr && node->type != XML_NAMESPACE_DECL; node = node->parent) {
      if (node->type == XML_DOCUMENT_NODE || node->type == XML_HTML_DOCUMENT_NODE) break;
      for (const xmlNode* other = node->prev; other != nullptr; other = other->prev) ++count;
      for (const xmlNode* other = node->next; other != nullptr; other = other->next) ++count;
    }
    return count;
  }

  bool IsDocument(const xmlNode* node) const { return node == reinterpret_cast<const xmlNode*>(context_.doc); }

  std::string Prompt() const {
    const xmlNode* const node = context_.node;
    if (IsDocument(node)) return "/ > ";
    const bool has_prefix = node->type != XML_NAMESPACE_DECL && node->name != nullptr && node->ns != nullptr && node->ns->prefix != nullptr;
    if (has_prefix) return std::string(Text(node->ns->prefix)) + ":" + Text(node->name) + " > ";
    return node->name == nullptr ? "? > " : std::string(Text(node->name)) + " > ";
  }

  // False at the end of the shell.
  bool Carry(std::string_view line) {
    const auto skip = [&] { line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size())); };
    skip();
    const std::string_view name = line.substr(0, std::min(std::min(line.find_first_of(" \t\r\n"), line.size()), kLongestName));
    line.remove_prefix(name.size());
    skip();
    std::string argument(line.substr(0, std::min(line.find_first_of("\r\n"), kLongestArgument)));
    argument.resize(std::min(argument.find('\0'), argument.size()));
    if (name.empty()) return true;
    if (name == "bye" || name == "exit" || name == "quit") return false;
    if (!Charge(name == "pwd" || name == "cd" ? 1 : CountAll())) return false;
    static constexpr std::array<Walk, 5> kWalks = {{{"ls", xmlShellList, ""}, {"dir", xmlShellDir, ""}, {"du", xmlShellDu, ""}, {"cat", xmlShellCat, " -------\n"}, {"whereis", Whereis, ""}}};
    for (const Walk& walk : kWalks) {
      if (walk.name == name) return WalkThrough(walk, argument), true;
    }
    Other(name, argument);
    return true;
  }

  void Other(std::string_view name, std::string& argument) {
    xmlNode* const node = context_.node;
    if (name == "pwd") Where(node);
    else if (name == "cd") Change(argument);
    else if (name == "xpath") Evaluate(argument);
    else if (name == "grep") Grep(argument);
    else if (name == "base") xmlShellBase(&context_, nullptr, node, nullptr);
    else if (name == "setbase") xmlNodeSetBase(node, Chars(argument));
    else if (name == "setns") SetNamespace(argument);
    else if (name == "setrootns") SetRootNamespaces();
    else if (name == "set") Replace(argument);
    else if (name == "save") Save(argument.empty() ? filename_ : argument, reinterpret_cast<xmlNode*>(context_.doc));
    else if (name == "write" && argument.empty()) errors_ += "Write command requires a filename argument\n";
    else if (name == "write") Save(argument, node);
    else if (name == "validate") Validate(argument);
    else if (name == "load") Load(argument);
    else if (name == "help") Help();
    else errors_ += "Unknown command " + std::string(name) + "\n";
  }

  void Help() {
    for (const char* const line : {"base", "bye, exit, quit", "cat [PATH]", "cd [PATH]", "dir [PATH]", "du [PATH]", "grep TEXT", "help", "load FILE", "ls [PATH]", "pwd", "save [FILE]", "set XML",
                                   "setbase URI", "setns PREFIX=[URI]", "setrootns", "validate [DTD]", "whereis [PATH]", "write FILE", "xpath EXPRESSION"}) {
      Put("\t" + std::string(line) + "\n");
    }
  }

  XPathObject Find(const std::string& expression) {
    xpath_->node = context_.node;
    xpath_->opCount = 0;
    const unsigned long most = host_.xpath_steps(expression, context_.doc);
    xpath_->opLimit = std::min<unsigned long>(most, kMostWork + 1 - std::min(work_, kMostWork));
    XPathObject found(xmlXPathEval(Chars(expression), xpath_.get()));
    // A step that merges nodes compares them with many others.
    work_ += xpath_->opCount * (most < kMostSteps ? CountAll() / 16 + 1 : 1);
    return found;
  }
  static std::span<xmlNode* const> Nodes(const xmlXPathObject& object) {
    const xmlNodeSet* const set = object.nodesetval;
    return set == nullptr || set->nodeNr <= 0 ? std::span<xmlNode* const>() : std::span<xmlNode* const>(set->nodeTab, static_cast<size_t>(set->nodeNr));
  }
  // The object, or null after a complaint about what is no set of nodes.
  XPathObject FindNodes(const std::string& path) {
    XPathObject found = Find(path);
    if (found == nullptr) {
      errors_ += path + ": no such node\n";
    } else if (found->type != XPATH_NODESET) {
      xmlShellPrintXPathError(static_cast<int>(found->type), path.c_str());
      found.reset();
    }
    return found;
  }

  void WalkThrough(const Walk& walk, const std::string& path) {
    if (path.empty()) {
      walk.visit(&context_, nullptr, context_.node, nullptr);
      return;
    }
    const XPathObject found = FindNodes(path);
    if (found == nullptr) return;
    for (xmlNode* const node : Nodes(*found)) {
      const bool counts_siblings = walk.visit == Whereis;
      if (!Charge(counts_siblings ? CountSiblings(node) : 1)) return;
      Put(walk.mark);
      walk.visit(&context_, nullptr, node, nullptr);
    }
  }

  static int Whereis(xmlShellCtxtPtr context, char*, xmlNodePtr node, xmlNodePtr) {
    std::array<char, 500> path{};
    if (xmlShellPwd(context, path.data(), node, nullptr) == 0) std::fprintf(context->output, "%s\n", path.data());
    return 0;
  }
  void Where(xmlNode* node) {
    if (Charge(CountSiblings(node))) Whereis(&context_, nullptr, node, nullptr);
  }

  void Change(std::string& path) {
    if (path.empty()) {
      context_.node = reinterpret_cast<xmlNode*>(context_.doc);
      return;
    }
    if (path.size() >= 2 && path.ends_with('/')) path.pop_back();
    const XPathObject found = FindNodes(path);
    if (found == nullptr) return;
    const auto nodes = Nodes(*found);
    if (nodes.size() != 1) {
      errors_ += path + " is a " + std::to_string(nodes.size()) + " Node Set\n";
    } else if (nodes[0]->type == XML_NAMESPACE_DECL) {
      errors_ += "cannot cd to namespace\n";
    } else {
      context_.node = nodes[0];
    }
  }

  void Evaluate(const std::string& expression) {
    if (expression.empty()) {
      errors_ += "xpath: expression required\n";
      return;
    }
    const XPathObject found = Find(expression);
    xmlXPathDebugDumpObject(file_.get(), found.get(), 0);
  }

  // Texts and comments below the current node that hold the text.
  void Grep(const std::string& text) {
    const xmlNode* const top = context_.node;
    for (xmlNode* node = context_.node; node != nullptr;) {
      const bool is_comment = node->type == XML_COMMENT_NODE;
      if ((is_comment || node->type == XML_TEXT_NODE) && xmlStrstr(node->content, Chars(text)) != nullptr) {
        xmlNode* const shown = is_comment ? node : node->parent;
        if (!Charge(CountSiblings(shown))) return;
        if (xmlChar* path = xmlGetNodePath(shown); path != nullptr) {
          Put(std::string(Text(path)) + " : ");
          xmlFree(path);
        }
        xmlShellList(&context_, nullptr, shown, nullptr);
      }
      const bool has_children = node->type == XML_ELEMENT_NODE || IsDocument(node);
      if (has_children && node->children != nullptr) {
        node = node->children;
        continue;
      }
      while (node != top && node->next == nullptr) node = node->parent;
      if (node == top) return;
      node = node->next;
    }
  }

  void SetNamespace(const std::string& argument) {
    const size_t equals = argument.find('=');
    if (equals == 0 || equals == std::string::npos) {
      errors_ += "setns: prefix=[nsuri] required\n";
      return;
    }
    const std::string prefix = argument.substr(0, equals), uri = argument.substr(equals + 1);
    if (xmlXPathRegisterNs(xpath_.get(), Chars(prefix), Chars(uri)) != 0) {
      errors_ += "Error: unable to register NS with prefix=\"" + prefix + "\" and href=\"" + uri + "\"\n";
    }
  }
  void SetRootNamespaces() {
    const xmlNode* const root = xmlDocGetRootElement(context_.doc);
    if (root == nullptr) return;
    for (const xmlNs* ns = root->nsDef; ns != nullptr; ns = ns->next) {
      const xmlChar* const prefix = ns->prefix != nullptr ? ns->prefix : reinterpret_cast<const xmlChar*>("defaultns");
      xmlXPathRegisterNs(xpath_.get(), prefix, ns->href);
    }
  }

  void Replace(const std::string& fragment) {
    xmlNode* const node = context_.node;
    if (node->type != XML_ELEMENT_NODE || ++replacements_ > kMostReplacements) {
      errors_ += node->type != XML_ELEMENT_NODE ? "set: not at an element\n" : "set: only 8 times\n";
      return;
    }
    xmlNodePtr made = nullptr;
    if (xmlParseInNodeContext(node, fragment.c_str(), static_cast<int>(fragment.size()), 0, &made) != XML_ERR_OK) {
      Put("failed to parse content\n");
      return;
    }
    if (node->children != nullptr) {
      xmlFreeNodeList(node->children);
      node->children = node->last = nullptr;
    }
    xmlAddChildList(node, made);
  }

  // Kept here; the command writes it when the shell has ended.
  void Save(const std::string& name, xmlNode* node) {
    std::string text;
    if (IsDocument(node)) {
      xmlChar* bytes = nullptr;
      int size = 0;
      if (node->type == XML_HTML_DOCUMENT_NODE) htmlDocDumpMemory(context_.doc, &bytes, &size);
      else xmlDocDumpMemory(context_.doc, &bytes, &size);
      if (bytes == nullptr) return;
      text.assign(Text(bytes), static_cast<size_t>(size));
      xmlFree(bytes);
    } else if (const FilePtr file = OpenText(text); file != nullptr) {
      if (node->type == XML_HTML_DOCUMENT_NODE) return;
      xmlElemDump(file.get(), context_.doc, node);
    }
    if (Charge(text.size())) session_.saved.emplace_back(name, std::move(text));
  }

  void Validate(const std::string& dtd_name) {
    const Owned<xmlValidCtxt, xmlFreeValidCtxt> validation(xmlNewValidCtxt());
    if (validation == nullptr) return;
    validation->userData = xmlGenericErrorContext;
    validation->error = xmlGenericError;
    validation->warning = xmlGenericError;
    if (dtd_name.empty()) {
      xmlValidateDocument(validation.get(), context_.doc);
      return;
    }
    const Owned<xmlDtd, xmlFreeDtd> dtd(xmlParseDTD(nullptr, Chars(dtd_name)));
    if (dtd != nullptr) xmlValidateDtd(validation.get(), context_.doc, dtd.get());
  }

  void Load(const std::string& name) {
    xmlDoc* const document = host_.load(name);
    if (document == nullptr) return;
    xpath_.reset();
    loaded_.reset(document);
    filename_ = name;
    Enter(document);
  }

  ShellSession& session_;
  const ShellHost& host_;
  std::string& out_;
  std::string& errors_;
  const FilePtr file_;
  std::string filename_;
  Document loaded_;
  XPathContext xpath_;
  xmlShellCtxt context_{};
  size_t work_ = 0;
  int replacements_ = 0;
};

}  // namespace

void RunShell(xmlDoc* document, const std::string& name, ShellSession& session, const ShellHost& host, std::string& out, std::string& errors) {
  session.saved.clear();
  xmlXPathOrderDocElems(document);
  XmlShell(document, name, session, host, out, errors).Run();
}

}  // namespace paddock::xml
