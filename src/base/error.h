// Error codes and the error value that Result carries.
//
// Codes of file and process operations are the POSIX ones, because virtual commands print them in the
// C library's wording ("No such file or directory") and scripts depend on it. Everything else that can
// fail has a code of its own below them.
#pragma once

#include <string>
#include <string_view>

namespace paddock {

enum class Code : int {
  kOk = 0,
  kNotPermitted = 1,       // EPERM
  kNoEntry = 2,            // ENOENT
  kNoProcess = 3,          // ESRCH
  kInterrupted = 4,        // EINTR
  kIo = 5,                 // EIO
  kNoDevice = 6,           // ENXIO
  kArgumentsTooLong = 7,   // E2BIG
  kExecFormat = 8,         // ENOEXEC
  kBadDescriptor = 9,      // EBADF
  kNoChild = 10,           // ECHILD
  kAgain = 11,             // EAGAIN
  kNoMemory = 12,          // ENOMEM
  kAccess = 13,            // EACCES
  kBusy = 16,              // EBUSY
  kExists = 17,            // EEXIST
  kCrossDevice = 18,       // EXDEV
  kNotDirectory = 20,      // ENOTDIR
  kIsDirectory = 21,       // EISDIR
  kInvalid = 22,           // EINVAL
  kTooManyFiles = 24,      // EMFILE
  kNotTty = 25,            // ENOTTY
  kTextBusy = 26,          // ETXTBSY
  kFileTooBig = 27,        // EFBIG
  kNoSpace = 28,           // ENOSPC
  kIllegalSeek = 29,       // ESPIPE
  kReadOnly = 30,          // EROFS
  kTooManyLinks = 31,      // EMLINK
  kBrokenPipe = 32,        // EPIPE
  kRange = 34,             // ERANGE
  kNameTooLong = 36,       // ENAMETOOLONG
  kNotImplemented = 38,    // ENOSYS
  kNotEmpty = 39,          // ENOTEMPTY
  kLoop = 40,              // ELOOP
  kOverflow = 75,          // EOVERFLOW
  kIllegalSequence = 84,   // EILSEQ
  kNotSupported = 95,      // EOPNOTSUPP
  kTimedOut = 110,         // ETIMEDOUT
  kQuota = 122,            // EDQUOT
  kCancelled = 125,        // ECANCELED
  // Not POSIX: failures of the host side.
  kSyntax = 1000,          // text that does not parse (script, pattern, option, document)
  kLimit = 1001,           // a declared limit was reached
  kUnavailable = 1002,     // a peer or a capability is not there
  kInternal = 1003,        // a bug of ours, reported instead of hidden
  kConflict = 1004,        // someone else changed it since it was read
  kCorrupt = 1005,         // stored data is damaged
};

// Returns the C library's wording for a POSIX code ("Permission denied"), a short phrase for the others.
std::string_view CodeText(Code code);

// What failed. `message` is empty when CodeText(code) says everything.
struct Error {
  Code code = Code::kInternal;
  std::string message;

  // Not inline: every call that can fail would have a copy of them.
  Error();
  Error(Code c);  // NOLINT: an error code is an error
  Error(Code c, std::string text);
  Error(const Error& other);
  Error(Error&& other) noexcept;
  Error& operator=(const Error& other);
  Error& operator=(Error&& other) noexcept;
  ~Error();

  // The message, or the code's wording when there is none.
  std::string_view Text() const { return message.empty() ? CodeText(code) : message; }
};

}  // namespace paddock
