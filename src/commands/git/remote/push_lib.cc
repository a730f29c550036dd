// git push.
#include <algorithm>

#include "commands/git/hook_input.h"
#include "commands/git/refs/revision.h"
#include "commands/git/remote/remote.h"

namespace paddock::git {
namespace {

struct PushOptions {
  bool quiet = false, verbose = false, force = false, all = false, tags = false, follow_tags = false, upstream = false, deletes = false, dry_run = false, no_verify = false, mirror = false;
  bool has_lease = false, atomic = false, includes = false, porcelain = false, prune = false, progress = false, thin = false, ipv4 = false, ipv6 = false;
  enum class Signed { kNo, kYes, kIfAsked } is_signed = Signed::kNo;
  std::string recursion = "no", repository, receive_pack;
  std::vector<std::string> leases, push_options;
};
Status AddLease(PushOptions& options, std::string_view text) {
  options.has_lease = true;
  if (text.data() != nullptr) options.leases.emplace_back(text);
  return {};
}
Status SetSigned(PushOptions& options, std::string_view text) {
  const auto value = text.data() == nullptr ? std::optional(true) : ParseConfigBool(text);
  if (!value && text != "if-asked") return Error(Code::kInvalid, "bad signed argument: " + std::string(text));
  options.is_signed = !value ? PushOptions::Signed::kIfAsked : *value ? PushOptions::Signed::kYes : PushOptions::Signed::kNo;
  return {};
}
Status SetRecursion(PushOptions& options, std::string_view text) {
  const auto value = ParseConfigBool(text);
  if (value != false && text != "check" && text != "on-demand" && text != "only") return Error(Code::kInvalid, "bad recurse-submodules argument: " + std::string(text));
  options.recursion = value == false ? "no" : text;
  return {};
}
Status AddPushOption(PushOptions& options, std::string_view text) {
  if (text.find('\n') != std::string_view::npos) return Error(Code::kInvalid, "push options must not have new line characters");
  options.push_options.emplace_back(text);
  return {};
}
constexpr Option kOptions[] = {
    Flag<&PushOptions::quiet>('q', "quiet", "say nothing"),
    Flag<&PushOptions::verbose>('v', "verbose", "also say what is up to date"),
    Value<&PushOptions::repository>(0, "repo", "REPOSITORY", "where to, when no operand says it"),
    Flag<&PushOptions::force>('f', "force", "even if something is lost there"),
    CallOptional<AddLease>(0, "force-with-lease", "REF:EXPECTED", "the same, if they have what was fetched last"),
    Flag<&PushOptions::includes>(0, "force-if-includes", "with that: only if what was fetched has been in the branch here"),
    Flag<&PushOptions::all>(0, "all", "all branches"),
    Flag<&PushOptions::mirror>(0, "mirror", "all references as they are, and no others"),
    Flag<&PushOptions::tags>(0, "tags", "all tags"),
    Flag<&PushOptions::follow_tags>(0, "follow-tags", "annotated tags of what is pushed"),
    Set<&PushOptions::follow_tags, false>(0, "no-follow-tags", "do not"),
    Flag<&PushOptions::upstream>('u', "set-upstream", "track what is pushed"),
    Flag<&PushOptions::deletes>('d', "delete", "delete there"),
    Flag<&PushOptions::prune>(0, "prune", "delete there what is not here"),
    Flag<&PushOptions::atomic>(0, "atomic", "all references, or none"),
    Flag<&PushOptions::dry_run>('n', "dry-run", "change nothing"),
    Flag<&PushOptions::porcelain>(0, "porcelain", "tell what happens in a form for programs, on standard output"),
    Flag<&PushOptions::progress>(0, "progress", "show progress"),
    Set<&PushOptions::progress, false>(0, "no-progress", "show none"),
    Call<AddPushOption>('o', "push-option", "TEXT", "hand TEXT to the hooks of the other side"),
    Call<SetRecursion>(0, "recurse-submodules", "MODE", "no; check, on-demand and only where there are no submodules"),
    CallOptional<SetSigned>(0, "signed", "WHEN", "yes (refused: there are no signatures), no or if-asked"),
    Flag<&PushOptions::thin>(0, "thin", "the pack may build on what they have (always allowed)"),
    Set<&PushOptions::thin, false>(0, "no-thin", "it must not (ours never does)"),
    Value<&PushOptions::receive_pack>(0, "receive-pack", "PROGRAM", "the program at the other end: git-receive-pack"),
    Value<&PushOptions::receive_pack>(0, "exec", "PROGRAM", "the same"),
    Flag<&PushOptions::no_verify>(0, "no-verify", "without the hook pre-push"),
    Set<&PushOptions::no_verify, false>(0, "verify", "with it (the default)"),
    Flag<&PushOptions::ipv4>('4', "ipv4", "use IPv4 (not over HTTP: that is the policy's affair)"),
    Flag<&PushOptions::ipv6>('6', "ipv6", "likewise"),
};

struct PushItem {
  std::string from, to;
  std::optional<Oid> id;   // nothing: delete
  bool is_forced = false;
};

// What becomes of an item.
struct Outcome {
  PushItem item;
  Oid before;
  enum class State { kCurrent, kSent, kRejected } state = State::kSent;
  int reason = 0;            // of a rejection, with git's number
  std::string why;           // of one, here or there
  bool is_remote = false;    // they rejected it
  bool is_forced = false;    // it would not have passed otherwise
  bool is_deletion() const { return !item.id; }
};
constexpr int kNotForward = 2, kAlreadyThere = 3, kFetchFirst = 5, kNeedsForce = 6, kStale = 7, kUpdatedThere = 9;

class Pushing {
 public:
  Pushing(Git& git, const PushOptions& options, std::string name, std::vector<std::string> specs, std::string url)
      : git_(git), options_(options), specs_(std::move(specs)), name_(std::move(name)), url_(std::move(url)) {
    is_remote_ = git_.config.Get("remote." + name_ + ".url").has_value();
    place_ = RewriteUrl(git_.config, url_, true);
  }

  Result<ExitStatus> Run() {
    PADDOCK_TRY(CheckFamily());
    PADDOCK_ASSIGN(remote_, OpenRemote(git_.in, git_.config, place_));
    if (options_.verbose) git_.Say("Pushing to " + ShownUrl(place_) + "\n");
    PADDOCK_ASSIGN(theirs_, remote_->ReadRefs(true));
    const Status chosen = Choose();
    if (!chosen && chosen.error().code == Code::kConflict) return Fail();
    if (!chosen) return chosen.error();
    for (PushItem& item : items_) PADDOCK_TRY(Judge(std::move(item)));
    // What is there comes first, in order of name.
    std::stable_sort(outcomes_.begin(), outcomes_.end(), [this](const Outcome& a, const Outcome& b) {
      const bool a_is_there = theirs_.ids.contains(a.item.to), b_is_there = theirs_.ids.contains(b.item.to);
      return a_is_there != b_is_there ? a_is_there : a_is_there && a.item.to < b.item.to;
    });
    if (!options_.no_verify && AskHook() != 0) return Fail();
    const bool is_refused = std::any_of(outcomes_.begin(), outcomes_.end(), [](const Outcome& one) { return one.state == Outcome::State::kRejected; });
    bool has_ended = true;   // the other side was heard to the end
    if (options_.atomic && is_refused) has_ended = RefuseAll() || options_.porcelain;
    else if (!options_.dry_run) PADDOCK_TRY(Send());
    PADDOCK_TRY(Tell());
    if (options_.upstream || tracks_) PADDOCK_TRY(Track());
    PADDOCK_TRY(FollowThere());
    if (options_.porcelain && has_ended) git_.Print("Done\n");
    else if (!options_.quiet && !has_failed_ && std::all_of(outcomes_.begin(), outcomes_.end(), [](const Outcome& one) { return one.state == Outcome::State::kCurrent; })) git_.Say("Everything up-to-date\n");
    if (!has_failed_) return 0;
    git_.in.out.Flush();
    Fail();
    git_.Say(Hint());
    return 1;
  }

 private:
  ExitStatus Fail() { return git_.Complain("failed to push some refs to '" + ShownUrl(place_) + "'"); }

  Status CheckFamily() {
    const bool is_http = place_.starts_with("http://") || place_.starts_with("https://");
    if ((options_.ipv4 || options_.ipv6) && is_http) return Error(Code::kNotSupported, "-4 and -6 are not supported over HTTP: how a host is reached is the policy's affair");
    if (options_.recursion != "no" && git_.Head()) {
      PADDOCK_ASSIGN(const FlatTree files, git_.FlattenCommit(*git_.Head()));
      for (const auto& [path, item] : files) {
        if (item.mode == kModeCommit) return Error(Code::kNotSupported, "--recurse-submodules=" + options_.recursion + " is not supported where there are submodules");
      }
    }
    return {};
  }

  // The hook pre-push.
  ExitStatus AskHook() {
    HookCall call{.name = "pre-push", .args = {name_, url_}, .input = "", .environment = {}};
    for (const Outcome& one : outcomes_) {
      const bool is_told = one.state == Outcome::State::kSent || (one.state == Outcome::State::kRejected && one.reason != kNotForward && one.reason != kStale && one.reason != kUpdatedThere);
      if (is_told) call.input += (one.is_deletion() ? "(delete)" : one.item.from) + " " + one.item.id.value_or(Oid{}).Hex() + " " + one.item.to + " " + one.before.Hex() + "\n";
    }
    return RunHookWithInput(git_, call, nullptr);
  }

  // One that was refused takes the others with it. False: as git has it.
  bool RefuseAll() {
    const Outcome* first = nullptr;
    for (Outcome& one : outcomes_) {
      if (first == nullptr && one.state == Outcome::State::kRejected) first = &one;
      if (one.state != Outcome::State::kSent) continue;
      one.state = Outcome::State::kRejected;
      one.why = "atomic push failed";
    }
    git_.Say("error: atomic push failed for ref " + first->item.to + ". status: " + std::to_string(first->reason) + "\n\n");
    return false;
  }

  Status Send() {
    std::vector<RefUpdate> updates;
    for (const Outcome& one : outcomes_) {
      if (one.state == Outcome::State::kSent) updates.push_back({one.item.to, one.before, one.item.id.value_or(Oid{}), ""});
    }
    if (updates.empty()) return {};
    if (options_.is_signed == PushOptions::Signed::kYes) return Error(Code::kNotSupported, "the receiving end does not support --signed push\nfatal: the remote end hung up unexpectedly");
    if (options_.is_signed == PushOptions::Signed::kIfAsked) git_.Warn("not sending a push certificate since the receiving end does not support --signed push");
    std::vector<std::string> sent = options_.push_options;
    if (sent.empty()) sent = git_.config.GetAll("push.pushoption");
    const PushRequest request{.is_quiet = options_.quiet, .is_atomic = options_.atomic, .shows_progress = options_.progress && !options_.quiet, .sends_options = !sent.empty(), .options = sent};
    PADDOCK_TRY(remote_->Push(git_, updates, request));
    size_t at = 0;
    for (Outcome& one : outcomes_) {
      if (one.state != Outcome::State::kSent) continue;
      const RefUpdate& update = updates[at++];
      if (update.refusal.empty()) continue;
      one.state = Outcome::State::kRejected;
      one.is_remote = true;
      one.why = update.refusal;
    }
    return {};
  }

  Status Choose() {
    const auto take_all = [&](const char* prefix) {
      for (const auto& [ref, id] : git_.refs.List(prefix)) items_.push_back({ref, ref, id, options_.force || options_.mirror});
    };
    Status wrong;
    for (size_t i = 0; i < specs_.size(); ++i) {
      std::string text = specs_[i];
      if (text == "tag" && i + 1 < specs_.size()) text = "refs/tags/" + specs_[++i];
      const Status added = AddSpec(text);
      if (!added && added.error().code != Code::kConflict) return added;
      if (!added) wrong = added;
    }
    PADDOCK_TRY(wrong);
    if (options_.mirror) {
      take_all("refs/");
      for (const auto& [ref, id] : theirs_.ids) {
        if (ref != "HEAD" && !git_.refs.Exists(ref)) items_.push_back({"", ref, std::nullopt, true});
      }
      return {};
    }
    if (options_.all) take_all("refs/heads/");
    if (options_.tags) take_all("refs/tags/");
    if (specs_.empty() && !options_.all && !options_.tags) PADDOCK_TRY(AddCurrent());
    if (options_.follow_tags || git_.config.GetBool("push.followtags", false)) PADDOCK_TRY(FollowTags());
    return options_.prune ? AddPruned() : Status();
  }

  // What a pattern would put there but is not here.
  Status AddPruned() {
    std::vector<Refspec> rules;
    for (const std::string& text : specs_) {
      PADDOCK_ASSIGN(const Refspec spec, ParseRefspec(text));
      if (spec.is_pattern()) rules.push_back(spec);
    }
    if (options_.all) {
      PADDOCK_ASSIGN(const Refspec heads, ParseRefspec("refs/heads/*:refs/heads/*"));
      rules.push_back(heads);
    }
    for (const auto& [ref, id] : theirs_.ids) {
      if (std::any_of(items_.begin(), items_.end(), [&to = ref](const PushItem& item) { return item.to == to; })) continue;
      for (const Refspec& spec : rules) {
        git_.in.budget.Step();
        Refspec back = spec;
        if (spec.has_target) std::swap(back.from, back.to);
        else back.to = back.from;
        const auto here = back.Map(ref);
        if (!here || git_.refs.Exists(*here)) continue;
        items_.push_back({"", ref, std::nullopt, options_.force});
        break;
      }
    }
    return {};
  }

  void AddMatching(bool is_forced) {
    for (const auto& [ref, id] : git_.refs.List("refs/heads/")) {
      if (theirs_.ids.contains(ref)) items_.push_back({ref, ref, id, is_forced});
    }
  }

  // As push.default says: "simple" when it says nothing.
  Status AddCurrent() {
    const auto specs = git_.config.GetAll("remote." + name_ + ".push");
    for (const std::string& spec : specs) PADDOCK_TRY(AddSpec(spec));
    if (!specs.empty()) return {};
    const std::string mode = git_.config.Get("push.default", "simple");
    if (mode == "nothing") return Error(Code::kInvalid, "You didn't specify any refspecs to push, and push.default is \"nothing\".");
    if (mode == "matching") {
      AddMatching(options_.force);
      return {};
    }
    const auto branch = git_.HeadBranch();
    if (!branch) {
      return Error(Code::kInvalid, "You are not currently on a branch.\nTo push the history leading to the current (detached HEAD)\nstate now, use\n\n    git push " + name_ + " HEAD:<name-of-remote-branch>\n");
    }
    const std::string current = ShortRef(*branch);
    const auto merge = git_.config.Get("branch." + current + ".merge");
    const bool is_own = DefaultRemote(git_) == name_;
    if (mode == "current" || (mode == "simple" && !is_own)) {
      items_.push_back({*branch, *branch, git_.Head(), options_.force});
      return {};
    }
    const bool sets_up = !merge && git_.config.GetBool("push.autosetupremote", false);
    tracks_ = tracks_ || sets_up;
    if (!merge && !sets_up) {
      return Error(Code::kInvalid, "The current branch " + current + " has no upstream branch.\nTo push the current branch and set the remote as upstream, use\n\n    git push --set-upstream " + name_ + " " + current +
                   "\n\nTo have this happen automatically for branches without a tracking\nupstream, see 'push.autoSetupRemote' in 'git help config'.\n");
    }
    if (merge && *merge != *branch && mode == "simple") {
      return Error(Code::kInvalid, "The upstream branch of your current branch does not match\nthe name of your current branch.  To push to the upstream branch\non the remote, use\n\n    git push " + name_ + " HEAD:" + ShortRef(*merge) +
                   "\n\nTo push to the branch of the same name on the remote, use\n\n    git push " + name_ + " HEAD\n\nTo choose either option permanently, see push.default in 'git help config'.\n");
    }
    items_.push_back({*branch, merge.value_or(*branch), git_.Head(), options_.force});
    return {};
  }

  Status AddSpec(const std::string& text) {
    if (text == ":" || text == "+:") {
      AddMatching(options_.force || text[0] == '+');
      return {};
    }
    PADDOCK_ASSIGN(const Refspec spec, ParseRefspec(text));
    const bool is_forced = options_.force || spec.is_forced;
    if (spec.is_pattern()) {
      for (const auto& [ref, id] : git_.refs.List("refs/")) {
        git_.in.budget.Step();
        if (const auto to = spec.Map(ref)) items_.push_back({ref, spec.has_target ? *to : ref, id, is_forced});
      }
      return {};
    }
    PushItem item{.from = options_.deletes ? "" : spec.from, .to = spec.has_target ? spec.to : spec.from, .id = std::nullopt, .is_forced = is_forced};
    if (item.from == "HEAD" && !spec.has_target) item.to = git_.HeadBranch().value_or("HEAD");
    const auto ref = item.from.empty() ? std::nullopt : FindRef(git_, item.from);
    if (!item.from.empty()) {
      const auto id = ResolveObject(git_, item.from);
      if (!id) {
        git_.Complain("src refspec " + item.from + " does not match any");
        return Error(Code::kConflict);
      }
      item.id = *id;
    }
    if (!item.to.starts_with("refs/")) {
      PADDOCK_ASSIGN(item.to, FullTarget(item, ref));
    }
    if (!IsRefName(item.to)) return Error(Code::kInvalid, "invalid refspec '" + text + "'");
    const bool is_full = (spec.has_target ? spec.to : spec.from).starts_with("refs/");
    if (!item.id && !is_full && !theirs_.ids.contains(item.to)) {
      git_.Complain("unable to delete '" + item.to.substr(item.to.rfind('/') + 1) + "': remote ref does not exist");
      return Error(Code::kConflict);
    }
    if (ref) item.from = *ref;
    items_.push_back(std::move(item));
    return {};
  }

  // "main" as they have it, or as what is pushed is named.
  Result<std::string> FullTarget(const PushItem& item, const std::optional<std::string>& ref) {
    for (const char* const prefix : {"refs/tags/", "refs/heads/"}) {
      if (theirs_.ids.contains(prefix + item.to)) return prefix + item.to;
    }
    if (ref && ref->starts_with("refs/tags/")) return "refs/tags/" + item.to;
    if (ref && (ref->starts_with("refs/heads/") || *ref == "HEAD")) {
      if (*ref != "HEAD" || git_.HeadBranch()) return "refs/heads/" + item.to;
    }
    if (!item.id) return "refs/heads/" + item.to;
    git_.Say("error: The destination you provided is not a full refname (i.e.,\nstarting with \"refs/\"). We tried to guess what you meant by:\n\n- Looking for a ref that matches '" + item.to +
             "' on the remote side.\n- Checking if the <src> being pushed ('" + item.from + "')\n  is a ref in \"refs/{heads,tags}/\". If so we add a corresponding\n  refs/{heads,tags}/ prefix on the remote side.\n\n"
             "Neither worked, so we gave up. You must fully qualify the ref.\n");
    if (const auto object = git_.objects.Read(*item.id)) {
      const bool is_commit = object->type == ObjectType::kCommit;
      const std::string type(TypeName(object->type)), target = item.from + ":refs/" + (is_commit ? "heads/" : "tags/") + item.to;
      git_.Say("hint: The <src> part of the refspec is a " + type + " object.\nhint: Did you mean to " +
               (is_commit ? "create a new branch" : object->type == ObjectType::kTag ? "create a new tag" : "tag a new " + type) + " by pushing to\nhint: '" + target + "'?\n");
    }
    return Error(Code::kConflict);
  }

  Status FollowTags() {
    History history(git_);
    std::vector<Oid> pushed;
    for (const PushItem& item : items_) {
      const auto commit = item.id ? git_.objects.Peel(*item.id, ObjectType::kCommit) : Result<Oid>(Error(Code::kNoEntry));
      if (commit) pushed.push_back(*commit);
    }
    PADDOCK_ASSIGN(const std::set<Oid> reached, history.Ancestors(pushed));
    for (const auto& [ref, id] : git_.refs.List("refs/tags/")) {
      const auto commit = git_.objects.Peel(id, ObjectType::kCommit);
      const bool is_annotated = commit && *commit != id;
      if (is_annotated && reached.contains(*commit) && !theirs_.ids.contains(ref)) items_.push_back({ref, ref, id, false});
    }
    return {};
  }

  // The reference that was fetched from theirs.
  std::optional<std::string> Tracking(const std::string& ref) {
    if (!is_remote_) return std::nullopt;
    for (const std::string& text : git_.config.GetAll("remote." + name_ + ".fetch")) {
      const auto spec = ParseRefspec(text);
      if (!spec || spec->is_negative) continue;
      if (auto local = spec->Map(ref); local && IsRefName(*local)) return local;
    }
    return std::nullopt;
  }

  // Whether --force-with-lease speaks of it, and what it expects there.
  struct Expectation {
    Oid id;
    bool is_tracked = false;   // by what was fetched last
  };
  std::optional<Expectation> Lease(const std::string& ref) {
    bool is_meant = options_.has_lease && options_.leases.empty();
    for (const std::string& lease : options_.leases) {
      const size_t colon = lease.find(':');
      const std::string name = lease.substr(0, colon);
      if (name != ref && name != ShortRef(ref)) continue;
      if (colon == std::string::npos) {
        is_meant = true;
        break;
      }
      if (colon + 1 == lease.size()) return Expectation{};
      const auto id = ResolveObject(git_, lease.substr(colon + 1));
      return Expectation{id ? *id : Oid{}};
    }
    if (!is_meant) return std::nullopt;
    const auto local = Tracking(ref);
    return Expectation{local ? git_.refs.Read(*local).value_or(Oid{}) : Oid{}, true};
  }

  // Whether the branch here ever had what is there: --force-if-includes.
  Result<bool> Included(const std::string& ref, const Oid& id) {
    if (!git_.refs.Exists(ref)) return true;
    History history(git_);
    for (const ReflogEntry& entry : git_.refs.ReadLog(ref)) {
      git_.in.budget.Step();
      if (entry.after == id) return true;
      if (entry.after.is_null() || !git_.objects.Has(entry.after) || !git_.objects.Has(id)) continue;
      PADDOCK_ASSIGN(const bool leads, history.IsAncestor(id, entry.after));
      if (leads) return true;
    }
    return false;
  }

  // The rule that an update breaks; 0 when there is none.
  Result<int> BrokenRule(const PushItem& item, const Oid& old) {
    if (!item.id || old.is_null()) return 0;
    if (item.to.starts_with("refs/tags/")) return kAlreadyThere;
    if (!git_.objects.Has(old)) return kFetchFirst;
    const auto before = git_.objects.Peel(old, ObjectType::kCommit), after = git_.objects.Peel(*item.id, ObjectType::kCommit);
    if (!before || !after) return kNeedsForce;
    History history(git_);
    PADDOCK_ASSIGN(const bool is_forward, history.IsAncestor(*before, *after));
    return is_forward ? 0 : kNotForward;
  }

  Status Judge(PushItem item) {
    git_.in.budget.Step();
    const auto found = theirs_.ids.find(item.to);
    Outcome one{.item = std::move(item), .before = found == theirs_.ids.end() ? Oid{} : found->second};
    if (one.item.id && *one.item.id == one.before) {
      one.state = Outcome::State::kCurrent;
      outcomes_.push_back(std::move(one));
      return {};
    }
    bool is_forced = one.item.is_forced;
    int reason = 0;
    if (const auto expected = Lease(one.item.to)) {
      bool is_included = true;
      if (options_.includes && expected->is_tracked) {
        PADDOCK_ASSIGN(is_included, Included(one.item.to, one.before));
      }
      if (expected->id != one.before) reason = kStale;
      else if (!is_included) reason = kUpdatedThere;
      else is_forced = true;
    }
    if (reason == 0) {
      PADDOCK_ASSIGN(reason, BrokenRule(one.item, one.before));
    }
    one.is_forced = is_forced && reason != 0;
    if (!is_forced && reason != 0) {
      one.state = Outcome::State::kRejected;
      one.reason = reason;
      one.why = reason == kNotForward ? "non-fast-forward" : reason == kAlreadyThere ? "already exists" : reason == kFetchFirst ? "fetch first" : reason == kNeedsForce ? "needs force" : reason == kStale ? "stale info" : "remote ref updated since checkout";
    }
    outcomes_.push_back(std::move(one));
    return {};
  }

  // One line of what happened.
  std::string Line(char flag, std::string what, const Outcome& one, const std::string& note, bool names_source = true) const {
    const std::string from = one.is_deletion() ? "(delete)" : one.item.from;
    if (options_.porcelain) return std::string(1, flag) + "\t" + (names_source ? from : "") + ":" + one.item.to + "\t" + what + (note.empty() ? "" : " (" + note + ")") + "\n";
    const std::string shown = note.empty() ? "" : " (" + note + ")";
    if (names_source) return ChangeLine(flag, what, one.is_deletion() ? from : PrettyRef(from), PrettyRef(one.item.to), shown, 0);
    what.resize(std::max<size_t>(what.size(), 17), ' ');
    return std::string(" ") + flag + " " + what + " " + PrettyRef(one.item.to) + shown + "\n";
  }

  Status Tell() {
    std::string current, sent, rejected;
    for (const Outcome& one : outcomes_) {
      if (one.state == Outcome::State::kCurrent) {
        if (options_.verbose || options_.porcelain) current += Line('=', "[up to date]", one, "");
      } else if (one.state == Outcome::State::kRejected) {
        has_failed_ = true;
        rejected += Line('!', one.is_remote ? "[remote rejected]" : "[rejected]", one, one.why, !one.is_deletion() || !one.is_remote);
      } else if (one.is_deletion()) {
        sent += Line('-', "[deleted]", one, "", false);
      } else if (one.before.is_null()) {
        sent += Line('*', one.item.to.starts_with("refs/tags/") ? "[new tag]" : one.item.to.starts_with("refs/heads/") ? "[new branch]" : "[new reference]", one, "");
      } else {
        const std::string before = git_.objects.Has(one.before) ? git_.objects.Abbreviate(one.before) : one.before.Hex().substr(0, 7);
        sent += Line(one.is_forced ? '+' : ' ', before + (one.is_forced ? "..." : "..") + git_.objects.Abbreviate(*one.item.id), one, one.is_forced ? "forced update" : "");
      }
    }
    const std::string text = current + sent + rejected;
    if (text.empty() || (options_.quiet && !has_failed_)) return {};
    const std::string all = "To " + ShownUrl(place_) + "\n" + text;
    if (options_.porcelain) git_.Print(all);
    else git_.Say(all);
    return {};
  }

  // The references here that stand for theirs.
  Status FollowThere() {
    for (const Outcome& one : outcomes_) {
      if (one.state == Outcome::State::kRejected || options_.dry_run) continue;
      const auto tracking = Tracking(one.item.to);
      if (!tracking) continue;
      if (options_.verbose) git_.Say("updating local tracking ref '" + *tracking + "'\n");
      if (one.is_deletion()) PADDOCK_TRY(git_.refs.Remove(*tracking));
      else if (git_.refs.Read(*tracking) != *one.item.id) PADDOCK_TRY(git_.refs.Write(*tracking, *one.item.id, git_.Who(), "update by push"));
    }
    return {};
  }

  std::string Hint() {
    const std::string head = git_.HeadBranch().value_or("");
    const auto has = [this](int reason) { return std::any_of(outcomes_.begin(), outcomes_.end(), [reason](const Outcome& one) { return one.state == Outcome::State::kRejected && !one.is_remote && one.reason == reason; }); };
    const bool is_own = std::any_of(outcomes_.begin(), outcomes_.end(), [&head](const Outcome& one) { return one.state == Outcome::State::kRejected && one.reason == kNotForward && one.item.to == head; });
    const std::string see = "hint: See the 'Note about fast-forwards' in 'git push --help' for details.\n";
    const auto is_off = [this](const char* name) { return !git_.config.GetBool(std::string("advice.") + name, true) || !git_.config.GetBool("advice.pushupdaterejected", true); };
    if (is_own) {
      return is_off("pushnonffcurrent") ? "" : "hint: Updates were rejected because the tip of your current branch is behind\nhint: its remote counterpart. Integrate the remote changes (e.g.\nhint: 'git pull ...') before pushing again.\n" + see;
    }
    if (has(kNotForward)) {
      return is_off("pushnonffmatching") ? "" : "hint: Updates were rejected because a pushed branch tip is behind its remote\nhint: counterpart. Check out this branch and integrate the remote changes\nhint: (e.g. 'git pull ...') before pushing again.\n" + see;
    }
    if (has(kAlreadyThere)) return is_off("pushalreadyexists") ? "" : "hint: Updates were rejected because the tag already exists in the remote.\n";
    if (has(kFetchFirst)) {
      return is_off("pushfetchfirst") ? "" : "hint: Updates were rejected because the remote contains work that you do\nhint: not have locally. This is usually caused by another repository pushing\nhint: to the same ref. You may want to first integrate the remote changes\n"
                                             "hint: (e.g., 'git pull ...') before pushing again.\n" + see;
    }
    if (has(kNeedsForce)) {
      return is_off("pushneedsforce") ? "" : "hint: You cannot update a remote ref that points at a non-commit object,\nhint: or update a remote ref to make it point at a non-commit object,\nhint: without using the '--force' option.\n";
    }
    if (has(kUpdatedThere)) {
      return is_off("pushrefneedsupdate") ? "" : "hint: Updates were rejected because the tip of the remote-tracking\nhint: branch has been updated since the last checkout. You may want\nhint: to integrate those changes locally (e.g., 'git pull ...')\nhint: before forcing an update.\n";
    }
    return {};
  }

  Status Track() {
    for (const Outcome& one : outcomes_) {
      const std::string from = one.item.from == "HEAD" ? git_.HeadBranch().value_or("") : one.item.from;
      if (one.state == Outcome::State::kRejected || one.is_deletion() || !from.starts_with("refs/heads/") || !one.item.to.starts_with("refs/heads/")) continue;
      const std::string branch = ShortRef(from);
      if (options_.dry_run) {
        git_.Print("Would set upstream of '" + branch + "' to '" + ShortRef(one.item.to) + "' of '" + name_ + "'\n");
        continue;
      }
      PADDOCK_TRY(EditConfigFile(git_, "branch." + branch + ".remote", name_));
      PADDOCK_TRY(EditConfigFile(git_, "branch." + branch + ".merge", one.item.to));
      if (!options_.quiet) git_.Print("branch '" + branch + "' set up to track '" + name_ + "/" + ShortRef(one.item.to) + "'.\n");
    }
    return {};
  }

  Git& git_;
  const PushOptions& options_;
  std::vector<std::string> specs_;
  std::string name_, url_, place_;
  bool is_remote_ = false, has_failed_ = false, tracks_ = false;
  std::unique_ptr<Remote> remote_;
  RemoteRefs theirs_;
  std::vector<PushItem> items_;
  std::vector<Outcome> outcomes_;
};

std::string PushRemote(Git& git) {
  const std::string branch = ShortRef(git.HeadBranch().value_or(""));
  const auto special = git.config.Get("branch." + branch + ".pushremote");
  return special ? *special : git.config.Get("remote.pushdefault", DefaultRemote(git));
}

Status CheckOptions(const PushOptions& options, const std::vector<std::string>& specs) {
  const auto both = [](const char* words) { return Error(Code::kInvalid, "options " + std::string(words) + " cannot be used together"); };
  if (options.deletes && (options.all || options.tags || options.mirror)) return both("'--delete' and '--all/--mirror/--tags'");
  if (options.deletes && specs.empty()) return Error(Code::kInvalid, "--delete doesn't make sense without any refs");
  if (options.all && options.tags) return both("'--all' and '--tags'");
  if (options.all && !specs.empty()) return Error(Code::kInvalid, "--all can't be combined with refspecs");
  if (options.mirror && options.tags) return both("'--mirror' and '--tags'");
  if (options.mirror && !specs.empty()) return Error(Code::kInvalid, "--mirror can't be combined with refspecs");
  if (options.all && options.mirror) return both("'--all' and '--mirror'");
  return {};
}

Result<ExitStatus> RunPush(Git& git, PushOptions& options, Args& args) {
  std::vector<std::string> specs = args.All();
  const bool is_named = !specs.empty() || !options.repository.empty();
  std::string name = options.repository;
  if (!specs.empty()) {
    name = specs[0];
    specs.erase(specs.begin());
  }
  if (name.empty()) name = PushRemote(git);
  for (const std::string& lease : options.leases) {
    const size_t colon = lease.find(':');
    if (colon == std::string::npos || colon + 1 == lease.size() || ResolveObject(git, lease.substr(colon + 1))) continue;
    return git.Complain("cannot parse expected object name '" + lease.substr(colon + 1) + "'", 129);
  }
  std::vector<std::string> urls = git.config.GetAll("remote." + name + ".pushurl");
  if (urls.empty()) urls = git.config.GetAll("remote." + name + ".url");
  if (urls.empty() && !is_named) {
    return Error(Code::kInvalid, "No configured push destination.\nEither specify the URL from the command-line or configure a remote repository using\n\n    git remote add <name> <url>\n\nand then push using the remote name\n\n    git push <name>\n");
  }
  if (urls.empty()) urls = {name};
  if (options.deletes && options.prune) return Error(Code::kInvalid, "options '--delete' and '--prune' cannot be used together");
  if (git.config.GetBool("remote." + name + ".mirror", false) && specs.empty() && !options.all && !options.tags) options.mirror = true;
  PADDOCK_TRY(CheckOptions(options, specs));
  PADDOCK_TRY(CheckRemoteProgram(options.receive_pack, "receive-pack", urls[0]));
  ExitStatus worst = 0;
  for (const std::string& url : urls) {
    PADDOCK_ASSIGN(const ExitStatus status, Pushing(git, options, name, specs, url).Run());
    worst = std::max(worst, status);
  }
  return worst;
}

}  // namespace

extern const Subcommand kPush;
const Subcommand kPush = DefineSubcommand<PushOptions, RunPush>({.name = "push", .summary = "give branches and tags to another repository", .synopsis = "[<options>] [<repository> [<refspec>...]]", .options = kOptions});

}  // namespace paddock::git
