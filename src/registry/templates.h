// Templates: what sandboxes begin as, under names with versions: "python@3"; "python" is its newest. Immutable, and owned like snapshots.
// An administrator may share one: then everybody may look at it and begin from it.
//
// A record in the database names a tree in the store. What was made from a template holds what it needs by itself, so that a template
// may be deleted at any time.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "registry/snapshots.h"
#include "store/trees/archive_format.h"

namespace paddock::registry {

struct TemplateInfo {
  std::string id;          // tpl_…
  std::string owner;
  std::string name;
  int64_t version = 0;     // 1, 2, …; never given twice for a name
  bool is_shared = false;
  Labels labels;
  Time created{};
  std::string source;      // "tar", "image", "snapshot"
  // How an image wants its programs to be started.
  Variables environment;
  std::string working_directory;
  std::string image_digest;   // "sha256:…" of an image's config; empty: it was none
  KeptState state;         // isolation is empty for files that any may begin with
};

struct TemplateRequest {
  std::string name;
  Labels labels;
  bool is_shared = false;   // only an administrator's
};

struct TemplateListRequest {
  std::string name, owner;   // empty: any; owner only for an admin
  Labels labels;
  bool is_shared = false;    // what is shared, by whomever, rather than the caller's own
  size_t limit = 100;
  std::string cursor;
};
struct TemplatePage {
  std::vector<TemplateInfo> templates;   // oldest first
  std::string next;
};

struct ArchiveRequest {
  trees::ArchiveFormat format = trees::ArchiveFormat::kAuto;
  std::string architecture = "amd64";   // which image of several
  std::string tag;                      // empty: the first
};

// Any thread.
class Templates {
 public:
  // `records` outlives it.
  Templates(std::shared_ptr<trees::Store> store, records::Records& records, KeptLimits limits, std::map<std::string, KeptLimits> owners = {})
      : store_(std::move(store)), records_(records), limits_(limits), owners_(std::move(owners)) {}

  // Reads an archive to its end. Errors: kInvalid (names the field), kAccess (sharing is for administrators), kSyntax and kLimit for the
  // archive, kQuota, kBusy (too many are read at once), those of `in`, store and database.
  Result<TemplateInfo> Build(const Caller& caller, const TemplateRequest& request, const ArchiveRequest& archive, ByteSource& in);
  // Errors: also those of Snapshots::Get().
  Result<TemplateInfo> FromSnapshot(const Caller& caller, const TemplateRequest& request, const SnapshotInfo& snapshot);
  // `text` is an id, "NAME" or "NAME@VERSION"; the caller's own before shared ones. kNoEntry: "no template 'TEXT'".
  Result<TemplateInfo> Get(const Caller& caller, std::string_view text) const;
  Result<TemplatePage> List(const Caller& caller, const TemplateListRequest& request) const;
  // kAccess: it is shared, and somebody else's.
  Status Delete(const Caller& caller, std::string_view id);

  Status AddAllRoots(std::vector<trees::ObjectId>& roots) const;
  const std::shared_ptr<trees::Store>& store() const { return store_; }

 private:
  Result<TemplateInfo> Add(trees::Session& session, TemplateInfo info, const SavedState& state, const std::string& origin);
  Result<records::Record> Find(const Caller& caller, std::string_view text) const;
  Result<uint64_t> BytesLeft(const std::string& owner) const;

  const std::shared_ptr<trees::Store> store_;
  records::Records& records_;
  const KeptLimits limits_;
  const std::map<std::string, KeptLimits> owners_;   // of whom they are others
  std::mutex building_mutex_;
  size_t building_ = 0;
};

}  // namespace paddock::registry
