// The files that a document, a schema or the user names for libxml2. The library only asks for them: whoever runs it reads
// them between two runs and runs it again, since nothing inside may wait or switch fibers.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace paddock::xml {

class Sources {
 public:
  // The text of a file of the sandbox, or nothing where it cannot be read. Called between runs of the library only.
  using Reader = std::function<std::optional<std::string>(const std::string& path)>;

  // `directories` are looked at for the last part of a name that is not there itself.
  explicit Sources(Reader reader, std::vector<std::string> directories = {}) : read_(std::move(reader)), directories_(std::move(directories)) {}

  struct Found {
    const std::string* text = nullptr;   // null: there is none, or it is not read yet
    std::string name;                    // as the library is told it
    bool is_wanted = false;              // not read yet: this run is for nothing
  };
  // What stands behind a URL; only files are there. Throws nothing but bad_alloc.
  Found Find(const std::string& url);

  // Reads what was asked for since the last call. False when nothing was: the last run counts.
  bool ReadWanted();
  // True when documents name more files than a run may read.
  bool is_exhausted() const { return is_exhausted_; }
  // Whether one of the texts is like that.
  bool Mention(bool (*is_like_that)(std::string_view text)) const;
  size_t bytes() const { return bytes_; }

 private:
  const std::optional<std::string>* Look(const std::string& path);

  Reader read_;
  std::vector<std::string> directories_;
  std::map<std::string, std::optional<std::string>> texts_;
  std::vector<std::string> wanted_;
  size_t bytes_ = 0;
  bool is_exhausted_ = false;
};

}  // namespace paddock::xml
