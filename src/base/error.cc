#include "base/error.h"

namespace paddock {

Error::Error() = default;
Error::Error(Code c) : code(c) {}
Error::Error(Code c, std::string text) : code(c), message(std::move(text)) {}
Error::Error(const Error& other) = default;
Error::Error(Error&& other) noexcept = default;
Error& Error::operator=(const Error& other) = default;
Error& Error::operator=(Error&& other) noexcept = default;
Error::~Error() = default;

std::string_view CodeText(Code code) {
  switch (code) {
    case Code::kOk: return "Success";
    case Code::kNotPermitted: return "Operation not permitted";
    case Code::kNoEntry: return "No such file or directory";
    case Code::kNoProcess: return "No such process";
    case Code::kInterrupted: return "Interrupted system call";
    case Code::kIo: return "Input/output error";
    case Code::kNoDevice: return "No such device or address";
    case Code::kArgumentsTooLong: return "Argument list too long";
    case Code::kExecFormat: return "Exec format error";
    case Code::kBadDescriptor: return "Bad file descriptor";
    case Code::kNoChild: return "No child processes";
    case Code::kAgain: return "Resource temporarily unavailable";
    case Code::kNoMemory: return "Cannot allocate memory";
    case Code::kAccess: return "Permission denied";
    case Code::kBusy: return "Device or resource busy";
    case Code::kExists: return "File exists";
    case Code::kCrossDevice: return "Invalid cross-device link";
    case Code::kNotDirectory: return "Not a directory";
    case Code::kIsDirectory: return "Is a directory";
    case Code::kInvalid: return "Invalid argument";
    case Code::kTooManyFiles: return "Too many open files";
    case Code::kNotTty: return "Inappropriate ioctl for device";
    case Code::kTextBusy: return "Text file busy";
    case Code::kFileTooBig: return "File too large";
    case Code::kNoSpace: return "No space left on device";
    case Code::kIllegalSeek: return "Illegal seek";
    case Code::kReadOnly: return "Read-only file system";
    case Code::kTooManyLinks: return "Too many links";
    case Code::kBrokenPipe: return "Broken pipe";
    case Code::kRange: return "Numerical result out of range";
    case Code::kNameTooLong: return "File name too long";
    case Code::kNotImplemented: return "Function not implemented";
    case Code::kNotEmpty: return "Directory not empty";
    case Code::kLoop: return "Too many levels of symbolic links";
    case Code::kOverflow: return "Value too large for defined data type";
    case Code::kIllegalSequence: return "Invalid or incomplete multibyte or wide character";
    case Code::kNotSupported: return "Operation not supported";
    case Code::kTimedOut: return "Connection timed out";
    case Code::kQuota: return "Disk quota exceeded";
    case Code::kCancelled: return "Operation canceled";
    case Code::kSyntax: return "syntax error";
    case Code::kLimit: return "limit reached";
    case Code::kUnavailable: return "unavailable";
    case Code::kInternal: return "internal error";
    case Code::kConflict: return "changed by someone else";
    case Code::kCorrupt: return "stored data is damaged";
  }
  return "unknown error";
}

}  // namespace paddock
