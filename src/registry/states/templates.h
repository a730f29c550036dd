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

#include "registry/states/snapshots.h"
#include "registry/states/template_image.h"
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
  std::string source;      // "tar", "image", "snapshot", "sandbox"
  // How an image wants its programs to be started.
  Variables environment;
  std::string working_directory;
  std::string image_digest;   // "sha256:…" of an image's config; empty: it was none
  TemplateImage image;
  KeptState state;         // isolation is empty for files that any may begin with
  bool is_new = true;      // false: an idempotency key had made it
};

struct TemplateRequest {
  std::string name;
  Labels labels;
  bool is_shared = false;   // only an administrator's
  std::string idempotency_key;
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
  // With a key in `once` a repetition, of which the same files come, gets what the first one made; its digest is filled in here. kConflict:
  // the key was used for something else, or what it made is gone.
  Result<TemplateInfo> Build(const Caller& caller, const TemplateRequest& request, const ArchiveRequest& archive, ByteSource& in, const Once& once = {});
  // A place among those that are being made, and what one may hold. Errors: those of Build() for the request.
  struct Place {
    std::shared_ptr<void> hold;
    trees::ArchiveLimits limits;
  };
  Result<Place> TakePlace(const Caller& caller, const TemplateRequest& request);
  // Of a sandbox's root file system, for all isolations that begin from one. `like`: the template that it began from, whose config it has; null:
  // the root's own.
  Result<TemplateInfo> FromRoot(const Caller& caller, const TemplateRequest& request, trees::Session& session, const std::string& sandbox, const CapturedRoot& root,
                                const TemplateInfo* like, const Once& once = {});
  // Of a sandbox's state, for sandboxes of its isolation.
  Result<TemplateInfo> FromState(const Caller& caller, const TemplateRequest& request, trees::Session& session, const std::string& sandbox, const SavedState& state,
                                 const std::string& isolation, const Once& once = {});
  // Errors: also those of Snapshots::Get().
  Result<TemplateInfo> FromSnapshot(const Caller& caller, const TemplateRequest& request, const SnapshotInfo& snapshot, const Once& once = {});
  // `text` is an id, "NAME" or "NAME@VERSION"; the caller's own before shared ones. kNoEntry: "no template 'TEXT'".
  Result<TemplateInfo> Get(const Caller& caller, std::string_view text) const;
  Result<TemplatePage> List(const Caller& caller, const TemplateListRequest& request) const;
  // kAccess: it is shared, and somebody else's.
  Status Delete(const Caller& caller, std::string_view id);

  Status AddAllRoots(std::vector<trees::ObjectId>& roots) const;
  // Whether one names a tree whose id has these 64 digits; also when it cannot be told.
  bool HasTree(std::string_view digits) const;
  const std::shared_ptr<trees::Store>& store() const { return store_; }

 private:
  Result<TemplateInfo> Add(trees::Session& session, TemplateInfo info, const SavedState& state, const std::string& origin, Once once);
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
