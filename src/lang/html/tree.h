// What the renderers of HTML ask gumbo's tree. Not an interface of the folder.
#pragma once

#include <gumbo.h>

#include <string_view>

namespace paddock::html {

inline bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

inline std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

inline std::string_view Attribute(const GumboNode* node, const char* name) {
  const GumboAttribute* attribute = gumbo_get_attribute(&node->v.element.attributes, name);
  return attribute == nullptr ? std::string_view() : std::string_view(attribute->value);
}

inline bool IsElement(const GumboNode* node) { return node->type == GUMBO_NODE_ELEMENT; }
inline GumboTag TagOf(const GumboNode* node) { return IsElement(node) ? node->v.element.tag : GUMBO_TAG_UNKNOWN; }

struct Children {
  explicit Children(const GumboNode* node) : vector(node->v.element.children) {}
  const GumboNode* const* begin() const { return reinterpret_cast<const GumboNode* const*>(vector.data); }
  const GumboNode* const* end() const { return begin() + vector.length; }
  const GumboVector& vector;
};

enum class Role { kInline, kBlock, kNothing };

inline Role RoleOf(GumboTag tag) {
  switch (tag) {
    case GUMBO_TAG_SCRIPT: case GUMBO_TAG_STYLE: case GUMBO_TAG_TEMPLATE: case GUMBO_TAG_NOSCRIPT: case GUMBO_TAG_HEAD: case GUMBO_TAG_TITLE: case GUMBO_TAG_META:
    case GUMBO_TAG_LINK: case GUMBO_TAG_SELECT: case GUMBO_TAG_TEXTAREA: case GUMBO_TAG_SVG: case GUMBO_TAG_MATH: case GUMBO_TAG_OBJECT: case GUMBO_TAG_IFRAME: return Role::kNothing;
    case GUMBO_TAG_HTML: case GUMBO_TAG_BODY: case GUMBO_TAG_P: case GUMBO_TAG_DIV: case GUMBO_TAG_SECTION: case GUMBO_TAG_ARTICLE: case GUMBO_TAG_ASIDE: case GUMBO_TAG_NAV:
    case GUMBO_TAG_HEADER: case GUMBO_TAG_FOOTER: case GUMBO_TAG_MAIN: case GUMBO_TAG_ADDRESS: case GUMBO_TAG_FIGURE: case GUMBO_TAG_FIGCAPTION: case GUMBO_TAG_FORM: case GUMBO_TAG_FIELDSET:
    case GUMBO_TAG_DETAILS: case GUMBO_TAG_SUMMARY: case GUMBO_TAG_CENTER: case GUMBO_TAG_H1: case GUMBO_TAG_H2: case GUMBO_TAG_H3: case GUMBO_TAG_H4: case GUMBO_TAG_H5: case GUMBO_TAG_H6:
    case GUMBO_TAG_UL: case GUMBO_TAG_OL: case GUMBO_TAG_LI: case GUMBO_TAG_DL: case GUMBO_TAG_DT: case GUMBO_TAG_DD: case GUMBO_TAG_BLOCKQUOTE: case GUMBO_TAG_PRE: case GUMBO_TAG_HR:
    case GUMBO_TAG_TABLE: case GUMBO_TAG_TBODY: case GUMBO_TAG_THEAD: case GUMBO_TAG_TFOOT: case GUMBO_TAG_TR: case GUMBO_TAG_TD: case GUMBO_TAG_TH: case GUMBO_TAG_CAPTION: case GUMBO_TAG_MENU: return Role::kBlock;
    default: return Role::kInline;
  }
}

}  // namespace paddock::html
