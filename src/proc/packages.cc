#include "proc/packages.h"

#include <algorithm>

namespace paddock {
namespace {

struct Package {
  std::string_view line;       // % stands for the command's name
  std::string_view commands;   // with blanks between them
};

constexpr Package kPackages[] = {
    {"% (GNU coreutils) 9.1",
     "[ arch b2sum base32 base64 basename basenc cat chcon chgrp chmod chown chroot cksum comm cp csplit cut date df dir dircolors "
     "dirname du echo env expand expr factor false fmt fold groups head hostid id install join link ln logname ls md5sum mkdir mkfifo "
     "mknod mktemp mv nice nl nohup nproc numfmt od paste pathchk pinky pr printenv printf ptx pwd readlink realpath rm rmdir runcon "
     "seq sha1sum sha224sum sha256sum sha384sum sha512sum shred shuf sleep sort split stat stdbuf stty sum sync tac tail tee timeout "
     "touch tr true truncate tsort tty uname unexpand uniq unlink users vdir wc who whoami yes"},
    {"% (coreutils) 9.1", "dd"},
    {"% (GNU findutils) 4.9.0", "find xargs"},
    {"% (GNU diffutils) 3.8", "cmp diff diff3 sdiff"},
    {"grep (GNU grep) 3.8", "egrep fgrep grep rgrep"},
    {"% (GNU sed) 4.9", "sed"},
    {"GNU Awk 5.2.1", "awk gawk mawk nawk"},
    {"GNU ed 1.19", "ed red"},
    {"% (GNU M4) 1.4.19", "m4"},
    {"GNU Make 4.3", "gmake make"},
    {"GNU patch 2.7.6", "patch"},
    {"GNU parallel 20221122", "parallel sem"},
    {"% 1.07.1", "bc"},
    {"% (GNU bc 1.07.1) 1.4.1", "dc"},
    {"% (GNU datamash) 1.7", "datamash"},
    {"% (GNU gettext-runtime) 0.21", "envsubst"},
    {"% from util-linux 2.38.1",
     "col colcrt colrm column fallocate flock getopt hd hexdump logger look mcookie more mountpoint namei rename.ul rev setsid ul "
     "uuidgen whereis"},
    {"% from procps-ng 4.0.2", "free kill pgrep pidwait pkill ps pwdx skill snice sysctl top vmstat w watch"},
    {"% 3.23", "hostname"},
    {"% 2.11.2", "apropos man whatis"},
    {"% 590 (GNU regular expressions)", "less"},
    {"less 590 (GNU regular expressions)", "zstdless"},
    {"%-5.44", "file"},
    {"% v2.1.0", "tree"},
    {"% 7.4.3 (2022-06-05)", "dos2unix mac2unix unix2dos unix2mac"},
    {"% using File::Rename version 2.01", "file-rename prename rename"},
    {"ripgrep 13.0.0", "rg"},
    {"fdfind 8.6.0", "fd fdfind"},
    {"% 1.6.20", "pv"},
    {"%  version 3.2.7  protocol version 31", "rsync"},
    {"Debian % program, version 5.7", "run-parts"},
    {"% 5.7", "tempfile"},
    {"GNU % (GNU Binutils for Debian) 2.40", "ar strings"},
    {"% (GNU cpio) 2.13", "cpio"},
    {"% (GNU tar) 1.34", "tar"},
    {"% 1.12", "gzip"},
    {"% (gzip) 1.12", "gunzip gzexe zcat zcmp zdiff zforce zgrep zless zmore znew"},
    {"gunzip (gzip) 1.12", "uncompress"},
    {"zgrep (gzip) 1.12", "zegrep zfgrep"},
    {"bzip2, a block-sorting file compressor.  Version 1.0.8, 13-Jul-2019.", "bunzip2 bzcat bzip2"},
    {"xz (XZ Utils) 5.4.1", "lzcat lzma unlzma unxz xz xzcat"},
    {"% (XZ Utils) 5.4.1", "xzcmp xzdiff xzegrep xzfgrep xzgrep xzless xzmore"},
    {"*** Zstandard CLI (64-bit) v1.5.4, by Yann Collet ***", "unzstd zstd zstdmt"},
    {"% (Debian GLIBC 2.36-9+deb12) 2.36", "getconf getent iconv locale"},
};

bool Names(std::string_view commands, std::string_view command) {
  for (size_t at = 0; at <= commands.size();) {
    const size_t end = std::min(commands.find(' ', at), commands.size());
    if (commands.substr(at, end - at) == command) return true;
    at = end + 1;
  }
  return false;
}

}  // namespace

std::string PackageLine(std::string_view command) {
  for (const Package& package : kPackages) {
    if (!Names(package.commands, command)) continue;
    std::string line(package.line);
    if (const size_t name = line.find('%'); name != std::string::npos) line.replace(name, 1, command);
    return line;
  }
  return "";
}

}  // namespace paddock
