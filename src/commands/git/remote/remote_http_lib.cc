// Repositories behind HTTP: git's smart protocol, version 0, in single requests.
//
// What the server says is not believed: names are checked before they become references, and a pack is read as a whole before it is
// put in place. Where it may be reached is the policy's affair.
// Source: gitprotocol-http(5), gitprotocol-pack(5), gitprotocol-capabilities(5); git 2.39.
#include <algorithm>
#include <queue>
#include <set>

#include "commands/git/refs/revision.h"
#include "commands/git/remote/credential.h"
#include "commands/git/remote/remote.h"
#include "commands/git/remote/remote_answer.h"
#include "commands/git/work/commit.h"
#include "proc/kernel.h"

namespace paddock::git {
namespace {

using proc::HttpOutcome;
using proc::HttpRequest;

constexpr std::string_view kAgent = "git/2.39.5";
constexpr std::string_view kUploadPack = "git-upload-pack", kReceivePack = "git-receive-pack";
constexpr size_t kMostHaves = 1024;        // commits that are offered as known

Error Bad(std::string_view what) { return {Code::kCorrupt, std::string(what)}; }

class HttpRemote final : public Remote {
 public:
  HttpRemote(Invocation& in, const Config& config, std::string url) : in_(in), config_(config), url_(std::move(url)) {
    if (const size_t begin = url_.find("://") + 3, end = url_.find('/', begin), at = url_.rfind('@', end); at != std::string::npos && at >= begin) {
      const std::string login = url_.substr(begin, at - begin);
      const size_t colon = login.find(':');
      credential_.user = PercentDecoded(login.substr(0, colon));
      if (colon != std::string::npos) credential_.password = PercentDecoded(login.substr(colon + 1));
      url_.erase(begin, at + 1 - begin);
    }
    while (url_.ends_with('/')) url_.pop_back();
    PlaceCredential();
  }

  Result<RemoteRefs> ReadRefs(bool is_for_push) override;
  Status Fetch(Git& git, const FetchRequest& request) override;
  Status Push(Git& git, std::vector<RefUpdate>& updates, const PushRequest& request) override;
  bool HasFilters() override { return Has("filter"); }

 private:
  bool Has(std::string_view capability) const { return capabilities_.contains(std::string(capability)); }
  std::string Setting(std::string_view name, std::string_view otherwise = "") const {
    const auto values = UrlConfig(config_, "http", name, url_);
    return values.empty() ? std::string(otherwise) : values.back();
  }
  void PlaceCredential();
  Status Connect();
  Result<HttpRequest> MakeRequest(const std::string& url) const;
  // Has it done, with a name and a password where the server asks for them.
  void ShowComplaint(const HttpOutcome& outcome, const Answer& answer);
  Status Perform(HttpRequest request, Answer& answer, HttpOutcome& outcome);
  Result<std::string> Get(std::string_view service);
  Status Post(std::string_view service, std::string body, Answer& answer);
  Status TakeLine(std::string_view line, RemoteRefs& refs);
  Status TakeFirst(std::string_view line);
  std::vector<Oid> KnownCommits(Git& git, const FetchRequest& request);
  std::string WantText(Git& git, const FetchRequest& request);
  Result<std::vector<Oid>> MissingThere(Git& git, const std::vector<RefUpdate>& updates);

  Invocation& in_;
  const Config& config_;
  std::string url_;   // without a login and slashes at the end
  Credential credential_;
  bool is_asked_for_ = false;      // the credential was looked for
  bool sends_credential_ = false;
  std::unique_ptr<proc::HttpClient> client_;
  std::set<std::string> capabilities_;
  std::set<Oid> theirs_;           // what their references lead to
};

// Tells where the credential holds: for the URL's host alone.
void HttpRemote::PlaceCredential() {
  const size_t scheme = url_.find("://"), slash = std::min(url_.find('/', scheme + 3), url_.size());
  const std::string protocol = url_.substr(0, scheme), host = url_.substr(scheme + 3, slash - scheme - 3);
  if (!credential_.host.empty() && (credential_.protocol != protocol || credential_.host != host)) {
    credential_ = {};
    is_asked_for_ = sends_credential_ = false;
  }
  credential_.protocol = protocol;
  credential_.host = host;
  const auto uses_path = UrlConfig(config_, "credential", "usehttppath", url_);
  if (!uses_path.empty() && ParseConfigBool(uses_path.back()).value_or(false)) credential_.path = url_.substr(std::min(slash + 1, url_.size()));
}

Status HttpRemote::Connect() {
  if (client_ != nullptr) return {};
  proc::Network* const network = in_.kernel.network();
  if (network == nullptr) return Error(Code::kUnavailable, "unable to access '" + url_ + "/': this sandbox has no network");
  PADDOCK_ASSIGN(client_, network->NewHttpClient());
  return {};
}

Result<HttpRequest> HttpRemote::MakeRequest(const std::string& url) const {
  HttpRequest request;
  request.url = url;
  const std::string agent = Setting("useragent", kAgent);
  request.user_agent = in_.env.Get("GIT_HTTP_USER_AGENT", agent);
  request.accept_encoding = "*";
  request.headers = {"Pragma: no-cache"};
  for (const std::string& header : UrlConfig(config_, "http", "extraheader", url_)) request.headers.push_back(header);
  if (ParseConfigBool(Setting("sslverify", "true")) == false || in_.env.Get("GIT_SSL_NO_VERIFY")) request.is_insecure = true;
  const std::string configured = Setting("sslcainfo");
  std::string authorities(in_.env.Get("GIT_SSL_CAINFO", configured));
  if (!authorities.empty()) {
    if (authorities.starts_with("~/")) authorities = std::string(in_.env.Get("HOME", "/")) + authorities.substr(1);
    auto pem = vfs::ReadFile(in_.fs, authorities, 16 << 20);
    if (!pem) return Error(Code::kNoEntry, "unable to access '" + url_ + "/': error setting certificate file: " + authorities);
    request.ca_pem = std::move(*pem);
  }
  return request;
}

// What the server says of an error, when it is meant for people.
void HttpRemote::ShowComplaint(const HttpOutcome& outcome, const Answer& answer) {
  if (outcome.content_type.starts_with("text/plain")) RemoteMessages(in_.err, false, "").Take(answer.Complaint());
}

Status HttpRemote::Perform(HttpRequest request, Answer& answer, HttpOutcome& outcome) {
  PADDOCK_TRY(Connect());
  while (true) {
    if (sends_credential_ || (!credential_.user.empty() && !credential_.password.empty())) {
      request.user = credential_.user + ":" + credential_.password;
    }
    outcome = client_->Perform(request, answer);
    if (outcome.response_code != 401) break;
    if (request.user) {
      if (is_asked_for_) RejectCredential(in_, config_, credential_);
      ShowComplaint(outcome, answer);
      return Error(Code::kAccess, "Authentication failed for '" + url_ + "/'");
    }
    PADDOCK_TRY(FillCredential(in_, config_, credential_));
    is_asked_for_ = sends_credential_ = true;
    answer.StartAgain();
  }
  if (outcome.error == 0 && outcome.response_code < 300) {
    if (is_asked_for_) ApproveCredential(in_, config_, credential_);
    is_asked_for_ = false;
    return {};
  }
  ShowComplaint(outcome, answer);
  if (outcome.error == 0) outcome.message = "The requested URL returned error: " + std::to_string(outcome.response_code);
  if (outcome.response_code == 404) return Error(Code::kNoEntry, "repository '" + url_ + "/' not found");
  return Error(Code::kUnavailable, "unable to access '" + url_ + "/': " + outcome.message);
}

Result<std::string> HttpRemote::Get(std::string_view service) {
  const std::string tail = "/info/refs?service=" + std::string(service);
  PADDOCK_ASSIGN(HttpRequest request, MakeRequest(url_ + tail));
  const std::string follows = Setting("followredirects", "initial");
  request.follows = follows == "initial" || ParseConfigBool(follows).value_or(false);
  TextAnswer answer(in_.budget);
  HttpOutcome outcome;
  PADDOCK_TRY(Perform(std::move(request), answer, outcome));
  if (outcome.redirects > 0 && outcome.effective_url != url_ + tail) {
    if (!outcome.effective_url.ends_with(tail)) {
      return Error(Code::kInvalid, "unable to update url base from redirection:\n  asked for: " + url_ + tail + "\n   redirect: " + outcome.effective_url);
    }
    url_ = outcome.effective_url.substr(0, outcome.effective_url.size() - tail.size());
    PlaceCredential();
    in_.err.Write("warning: redirecting to " + ShownUrl(url_) + "/\n");
  }
  const std::string type = "application/x-" + std::string(service) + "-advertisement";
  if (outcome.content_type.substr(0, outcome.content_type.find(';')) != type) return Error(Code::kNotSupported, url_ + "/info/refs not valid: is this a git repository?");
  return std::move(answer.text);
}

Status HttpRemote::Post(std::string_view service, std::string body, Answer& answer) {
  PADDOCK_ASSIGN(HttpRequest request, MakeRequest(url_ + "/" + std::string(service)));
  request.kind = HttpRequest::Kind::kPost;
  request.body = std::move(body);
  request.headers.push_back("Content-Type: application/x-" + std::string(service) + "-request");
  request.headers.push_back("Accept: application/x-" + std::string(service) + "-result");
  request.headers.push_back("Expect:");
  request.fails_on_error = true;
  HttpOutcome outcome;
  return Perform(std::move(request), answer, outcome);
}

// "ID NAME\0CAPABILITIES".
Status HttpRemote::TakeFirst(std::string_view line) {
  const size_t nul = line.find('\0');
  std::string_view words = nul == std::string_view::npos ? std::string_view() : WithoutNewline(line.substr(nul + 1));
  while (!words.empty()) {
    in_.budget.Step();
    const size_t end = std::min(words.find(' '), words.size());
    if (end > 0) capabilities_.emplace(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  if (Has("object-format=sha256")) return Error(Code::kNotSupported, "repositories with other hashes than SHA-1 are not supported");
  return {};
}

Status HttpRemote::TakeLine(std::string_view line, RemoteRefs& refs) {
  line = WithoutNewline(line.substr(0, line.find('\0')));
  if (line.starts_with("shallow ")) return {};   // commits whose parents they lack; packs of them tell it again
  const auto id = Oid::FromHex(line.substr(0, 40));
  if (!id || line.size() < 42 || line[40] != ' ') return Bad("protocol error: expected sha/ref, got '" + Printable(line.substr(0, 100)) + "'");
  std::string name(line.substr(41));
  if (name == "capabilities^{}") return {};
  if (name.ends_with("^{}")) {
    name.resize(name.size() - 3);
    if (refs.ids.contains(name)) refs.peeled.emplace(name, *id);
    return {};
  }
  // What could not be a reference here is left out, as git does.
  if (name != "HEAD" && !IsRefName(name)) {
    if (name != ".have") in_.err.Write("warning: ignoring ref with broken name " + QuotePath(name, true) + "\n");
    theirs_.insert(*id);
    return {};
  }
  theirs_.insert(*id);
  refs.ids.emplace(std::move(name), *id);
  return {};
}

Result<RemoteRefs> HttpRemote::ReadRefs(bool is_for_push) {
  const std::string_view service = is_for_push ? kReceivePack : kUploadPack;
  PADDOCK_ASSIGN(const std::string text, Get(service));
  RemoteRefs refs;
  enum { kService, kMark, kFirst, kRest, kOver } next = kService;
  PacketReader reader([&](std::string_view packet, bool is_flush) -> Status {
    in_.budget.Step();
    if (WithoutNewline(packet).starts_with("ERR ")) return Bad("remote error: " + Printable(WithoutNewline(packet).substr(4)));
    if (next == kService) {
      if (WithoutNewline(packet) != "# service=" + std::string(service)) return Bad("invalid server response; got '" + Printable(WithoutNewline(packet).substr(0, 100)) + "'");
      next = kMark;
    } else if (next == kMark) {
      if (!is_flush) return Bad("invalid server response; expected flush");
      next = kFirst;
    } else if (is_flush) {
      next = kOver;
    } else {
      if (next == kFirst) PADDOCK_TRY(TakeFirst(packet));
      next = kRest;
      return TakeLine(packet, refs);
    }
    return {};
  });
  PADDOCK_TRY(reader.Feed(text));
  if (next != kOver || !reader.is_between_packets()) return Bad("the remote end hung up unexpectedly");
  for (const std::string& capability : capabilities_) {
    constexpr std::string_view kSymref = "symref=HEAD:";
    if (capability.starts_with(kSymref) && IsRefName(std::string_view(capability).substr(kSymref.size()))) refs.head = capability.substr(kSymref.size());
  }
  return refs;
}

// Newest first, from all references.
std::vector<Oid> HttpRemote::KnownCommits(Git& git, const FetchRequest& request) {
  History history(git);
  std::priority_queue<std::pair<int64_t, Oid>> todo;
  std::set<Oid> seen;
  const auto add = [&](const Oid& id) {
    if (!seen.insert(id).second) return;
    if (const auto node = history.Get(id)) todo.emplace((*node)->time, id);
  };
  if (request.tips) {
    for (const Oid& id : *request.tips) add(id);
  } else {
    for (const auto& [name, id] : git.refs.List("refs/")) {
      if (const auto commit = git.objects.Peel(id, ObjectType::kCommit)) add(*commit);
    }
    if (const auto head = git.Head()) add(*head);
  }
  std::vector<Oid> known;
  while (!todo.empty() && known.size() < kMostHaves) {
    in_.budget.Step(4);
    const Oid id = todo.top().second;
    todo.pop();
    known.push_back(id);
    const auto node = history.Get(id);
    for (const Oid& parent : (*node)->commit.parents) add(parent);
  }
  return known;
}

std::string HttpRemote::WantText(Git& git, const FetchRequest& request) {
  std::string capabilities;
  for (const char* const name : {"side-band-64k", "ofs-delta", "no-progress", "include-tag"}) {
    if (Has(name) && !(request.shows_progress && std::string_view(name) == "no-progress")) capabilities += std::string(" ") + name;
  }
  if (request.deepening.is_relative) capabilities += " deepen-relative";
  if (request.deepening.since) capabilities += " deepen-since";
  if (!request.deepening.excluded.empty()) capabilities += " deepen-not";
  capabilities += " agent=" + std::string(kAgent);
  std::string text;
  for (const Oid& id : request.wanted) {
    text += Packet("want " + id.Hex() + capabilities + "\n");
    capabilities.clear();
  }
  for (const Oid& id : ReadShallow(git)) text += Packet("shallow " + id.Hex() + "\n");
  const Deepening& deepening = request.deepening;
  if (deepening.depth) text += Packet("deepen " + std::to_string(*deepening.depth) + "\n");
  if (deepening.since) text += Packet("deepen-since " + std::to_string(*deepening.since) + "\n");
  for (const std::string& name : deepening.excluded) text += Packet("deepen-not " + name + "\n");
  text += kFlushPacket;
  for (const Oid& id : request.is_again ? std::vector<Oid>() : KnownCommits(git, request)) text += Packet("have " + id.Hex() + "\n");
  return text + Packet("done\n");
}

Status HttpRemote::Fetch(Git& git, const FetchRequest& request) {
  FetchRequest missing = request;
  if (!request.deepening.is_any() && !request.is_again) std::erase_if(missing.wanted, [&git](const Oid& id) { return git.objects.Has(id); });
  if (missing.wanted.empty()) return {};
  if (!Has("side-band-64k")) return Error(Code::kNotSupported, "the server is too old: it has no side-band-64k");
  if (request.deepening.is_any() && !Has("shallow")) return Error(Code::kNotSupported, "Server does not support shallow clients");
  if (request.deepening.since && !Has("deepen-since")) return Error(Code::kNotSupported, "Server does not support --shallow-since");
  if (!request.deepening.excluded.empty() && !Has("deepen-not")) return Error(Code::kNotSupported, "Server does not support --shallow-exclude");
  if (request.deepening.is_relative && !Has("deepen-relative")) return Error(Code::kNotSupported, "Server does not support --deepen");
  PADDOCK_ASSIGN(const std::string path, git.objects.NewPackPath());
  PADDOCK_ASSIGN(vfs::OpenFilePtr file, in_.fs.Open(path, vfs::OpenFlags::Write(), 0600));
  PackAnswer answer(in_, *file, request.deepening.is_any(), request.is_quiet && !request.shows_progress);
  const Status posted = Post(kUploadPack, WantText(git, missing), answer);
  file.reset();
  Status done = !answer.problem ? answer.problem : posted;
  if (done && !answer.is_whole()) done = Bad("the remote end hung up unexpectedly");
  if (!done) {
    static_cast<void>(in_.fs.RemoveFile(path).has_value());
    return done;
  }
  PADDOCK_TRY(git.objects.AddPack(path, request.unpack_limit));
  const bool is_all = std::all_of(missing.wanted.begin(), missing.wanted.end(), [&git](const Oid& id) { return git.objects.Has(id); });
  if (!is_all) return Bad("remote did not send all necessary objects");
  if (answer.shallow.empty() && answer.unshallow.empty()) return {};
  std::set<Oid> shallow = std::move(answer.shallow);
  for (const Oid& id : ReadShallow(git)) shallow.insert(id);
  for (const Oid& id : answer.unshallow) shallow.erase(id);
  return WriteShallow(git, {shallow.begin(), shallow.end()});
}

// What the new references lead to and theirs do not, as far as is known here.
Result<std::vector<Oid>> HttpRemote::MissingThere(Git& git, const std::vector<RefUpdate>& updates) {
  History history(git);
  std::set<Oid> seen;      // not to be sent (again)
  std::vector<Oid> known;  // their commits
  for (const Oid& id : theirs_) {
    if (!git.objects.Has(id)) continue;
    if (const auto commit = git.objects.Peel(id, ObjectType::kCommit)) known.push_back(*commit);
    seen.insert(id);
  }
  PADDOCK_ASSIGN(const std::set<Oid> ancestors, history.Ancestors(known));
  std::vector<Oid> todo, wanted;
  const auto walk = [&](bool is_sent) -> Status {
    while (!todo.empty()) {
      in_.budget.Step(4);
      const Oid id = todo.back();
      todo.pop_back();
      if (!seen.insert(id).second || ancestors.contains(id)) continue;
      PADDOCK_ASSIGN(const Object object, git.objects.Read(id));
      if (is_sent) wanted.push_back(id);
      if (object.type == ObjectType::kCommit) {
        PADDOCK_ASSIGN(const Commit commit, ParseCommit(object.data, in_.budget));
        todo.push_back(commit.tree);
        todo.insert(todo.end(), commit.parents.begin(), commit.parents.end());
      } else if (object.type == ObjectType::kTree) {
        PADDOCK_ASSIGN(const std::vector<TreeEntry> entries, ParseTree(object.data, in_.budget));
        for (const TreeEntry& entry : entries) {
          if (entry.mode != kModeCommit) todo.push_back(entry.id);
        }
      } else if (object.type == ObjectType::kTag) {
        PADDOCK_ASSIGN(const Tag tag, ParseTag(object.data));
        todo.push_back(tag.object);
      }
    }
    return {};
  };
  // The files that they have as of their references.
  for (const Oid& id : known) {
    PADDOCK_ASSIGN(const Commit commit, git.objects.ReadCommit(id));
    todo.push_back(commit.tree);
  }
  PADDOCK_TRY(walk(false));
  for (const RefUpdate& update : updates) {
    if (!update.after.is_null()) todo.push_back(update.after);
  }
  PADDOCK_TRY(walk(true));
  return wanted;
}

Status HttpRemote::Push(Git& git, std::vector<RefUpdate>& updates, const PushRequest& request) {
  if (!Has("report-status")) return Error(Code::kNotSupported, "the server is too old: it has no report-status");
  std::string capabilities("\0 report-status", 15), body;
  for (const char* const name : {"side-band-64k", "ofs-delta", "delete-refs"}) {
    if (Has(name)) capabilities += std::string(" ") + name;
  }
  if (request.is_atomic && !Has("atomic")) return Error(Code::kNotSupported, "the receiving end does not support --atomic push");
  if (request.sends_options && !Has("push-options")) return Error(Code::kNotSupported, "the receiving end does not support push options\nfatal: the remote end hung up unexpectedly");
  if (request.is_atomic) capabilities += " atomic";
  if (request.sends_options) capabilities += " push-options";
  if (request.is_quiet && Has("quiet")) capabilities += " quiet";
  capabilities += " agent=" + std::string(kAgent);
  bool has_objects = false;
  for (const RefUpdate& update : updates) {
    body += Packet(update.before.Hex() + " " + update.after.Hex() + " " + update.ref + capabilities);
    capabilities.clear();
    has_objects = has_objects || !update.after.is_null();
  }
  body += kFlushPacket;
  if (request.sends_options) {
    for (const std::string& option : request.options) body += Packet(option);
    body += kFlushPacket;
  }
  if (has_objects) {
    PADDOCK_ASSIGN(const std::vector<Oid> objects, MissingThere(git, updates));
    if (request.shows_progress) {
      if (!objects.empty()) ShowProgress(in_, "", "Writing objects", objects.size());
      in_.err.Write("Total " + std::to_string(objects.size()) + " (delta 0), reused 0 (delta 0), pack-reused 0\n");
    }
    const auto read = [&git](const Oid& id) { return git.objects.Read(id); };
    const auto sink = [&](std::string_view bytes) -> Status {
      in_.budget.WillAllocate(bytes.size());
      body += bytes;
      return {};
    };
    PADDOCK_ASSIGN(const PackIndex index, WritePack(objects, read, sink, in_.budget));
    static_cast<void>(index);
  }
  TextAnswer answer(in_.budget);
  PADDOCK_TRY(Post(kReceivePack, std::move(body), answer));
  std::map<std::string, std::string> refusals;
  std::string unpacked;
  PacketReader report([&](std::string_view packet, bool is_flush) -> Status {
    in_.budget.Step();
    const std::string_view line = WithoutNewline(packet);
    if (is_flush) return {};
    if (line.starts_with("unpack ")) {
      unpacked = line.substr(7);
      return {};
    }
    const size_t space = line.find(' ', 3);
    if (line.starts_with("ok ")) refusals[std::string(line.substr(3))] = "";
    else if (line.starts_with("ng ") && space != std::string_view::npos) refusals[std::string(line.substr(3, space - 3))] = line.substr(space + 1);
    else return Bad("protocol error: unexpected report '" + Printable(line.substr(0, 100)) + "'");
    return {};
  });
  RemoteMessages messages(in_.err, false);
  SideBand band(messages, [&report](std::string_view bytes) { return report.Feed(bytes); });
  PacketReader reader([&](std::string_view packet, bool is_flush) { return is_flush ? Status() : band.Take(packet); });
  PADDOCK_TRY(Has("side-band-64k") ? reader.Feed(answer.text) : report.Feed(answer.text));
  if (unpacked.empty()) return Bad("the remote end hung up unexpectedly");
  if (unpacked != "ok") in_.err.Write("error: remote unpack failed: " + QuotePath(unpacked, false) + "\n");
  for (RefUpdate& update : updates) {
    const auto told = refusals.find(update.ref);
    update.refusal = told == refusals.end() ? "remote failed to report status" : Printable(told->second);
  }
  return {};
}

}  // namespace

std::unique_ptr<Remote> OpenHttpRemote(Invocation& in, const Config& config, const std::string& url) { return std::make_unique<HttpRemote>(in, config, url); }

}  // namespace paddock::git
