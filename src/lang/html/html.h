// An HTML document as a tree: gumbo's, which takes any text as browsers do. Its memory is counted and freed at once,
// and it ends when the exec must.
#pragma once

#include <memory>
#include <string_view>

struct GumboInternalNode;

namespace paddock {
class Budget;
}

namespace paddock::html {

class Document {
 public:
  // `text` outlives the document.
  Document(std::string_view text, Budget& budget);
  ~Document();
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  const GumboInternalNode* root() const { return root_; }

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
  const GumboInternalNode* root_ = nullptr;
};

}  // namespace paddock::html
