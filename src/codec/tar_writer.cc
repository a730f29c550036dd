#include <algorithm>
#include <cstring>

#include "codec/tar.h"

namespace paddock::codec {
namespace {

constexpr size_t kNameField = 100;

// True if it fits as octal digits with a NUL.
bool PutOctal(char* field, size_t size, uint64_t value) {
  if (size < 22 && value >> (3 * (size - 1)) != 0) return false;
  for (size_t i = size - 1; i > 0; --i, value >>= 3) field[i - 1] = static_cast<char>('0' + (value & 7));
  field[size - 1] = '\0';
  return true;
}

void PutBase256(char* field, size_t size, uint64_t value, bool is_negative) {
  for (size_t i = size; i > 0; --i) {
    field[i - 1] = static_cast<char>(value & 0xff);
    value = value >> 8 | (is_negative ? uint64_t{0xff} << 56 : 0);
  }
  field[0] = static_cast<char>(is_negative ? 0xff : 0x80);
}

void PutChecksum(char* block) {
  std::memset(block + 148, ' ', 8);
  uint64_t sum = 0;
  for (size_t i = 0; i < kTarBlock; ++i) sum += static_cast<unsigned char>(block[i]);
  PutOctal(block + 148, 7, sum);
}

// "length key=value\n", whose length counts itself.
void AddRecord(std::string& text, std::string_view key, std::string_view value) {
  const size_t rest = key.size() + value.size() + 3;
  size_t length = rest + 1;
  while (std::to_string(length).size() + rest != length) ++length;
  text += std::to_string(length) + " " + std::string(key) + "=" + std::string(value) + "\n";
}

std::string TimeText(int64_t seconds, int32_t nanos) {
  // A fraction counts up from the second below; below zero that is written from above.
  const bool is_negative = seconds < 0 && nanos > 0;
  if (is_negative) {
    ++seconds;
    nanos = 1'000'000'000 - nanos;
  }
  std::string text = (is_negative && seconds == 0 ? "-" : "") + std::to_string(seconds);
  if (nanos == 0) return text;
  std::string digits = std::to_string(1'000'000'000 + nanos).substr(1);
  while (digits.back() == '0') digits.pop_back();
  return text + "." + digits;
}

std::string Padded(std::string text) {
  text.append((kTarBlock - text.size() % kTarBlock) % kTarBlock, '\0');
  return text;
}

class HeaderEncoder {
 public:
  HeaderEncoder(const TarMember& member, const TarHeaderOptions& options) : m_(member), o_(options) {}

  Result<std::string> Encode() {
    const bool is_pax_sparse = is_pax() && m_.type == 'S';
    if (is_pax_sparse) AddSparse();
    PADDOCK_TRY(PutNames());
    PADDOCK_TRY(PutNumber(100, 8, m_.mode, "mode"));
    PADDOCK_TRY(PutNumber(108, 8, m_.uid, "uid"));
    PADDOCK_TRY(PutNumber(116, 8, m_.gid, "gid"));
    PADDOCK_TRY(PutNumber(124, 12, m_.stored, "size"));
    PADDOCK_TRY(PutTime());
    Extend();
    block_[156] = m_.type == '0' && o_.format == TarFormat::kV7 ? '\0' : is_pax_sparse ? '0' : m_.type;
    PADDOCK_TRY(PutOwners());
    if (m_.type == 'S' && !is_pax_sparse) PutSparse();
    PutChecksum(block_);
    return front_ + ExtendedHeader() + std::string(block_, kTarBlock) + sparse_rest_;
  }

 private:
  bool is_gnu() const { return o_.format == TarFormat::kGnu || o_.format == TarFormat::kOldGnu; }
  bool is_pax() const { return o_.format == TarFormat::kPax; }
  bool IsLeftOut(std::string_view key) const { return std::find(o_.pax_without.begin(), o_.pax_without.end(), key) != o_.pax_without.end(); }
  void Add(std::string_view key, std::string_view value) {
    if (!IsLeftOut(key)) AddRecord(records_, key, value);
  }
  static bool IsAscii(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  }

  // The map of a sparse file, or that it stands in front of the content.
  void AddSparse() {
    if (o_.sparse_form == TarSparseForm::k10) {
      Add("GNU.sparse.major", "1");
      Add("GNU.sparse.minor", "0");
      Add("GNU.sparse.name", m_.name);
      Add("GNU.sparse.realsize", std::to_string(m_.size));
      return;
    }
    Add("GNU.sparse.size", std::to_string(m_.size));
    Add("GNU.sparse.numblocks", std::to_string(m_.extents.size()));
    std::string map;
    for (const TarExtent& extent : m_.extents) {
      if (o_.sparse_form == TarSparseForm::k00) {
        Add("GNU.sparse.offset", std::to_string(extent.offset));
        Add("GNU.sparse.numbytes", std::to_string(extent.length));
      } else {
        map += (map.empty() ? "" : ",") + std::to_string(extent.offset) + "," + std::to_string(extent.length);
      }
    }
    if (o_.sparse_form == TarSparseForm::k00) return;
    Add("GNU.sparse.name", m_.name);
    Add("GNU.sparse.map", map);
  }
  // What readers that know no sparse files call one.
  std::string SparseName() const {
    const size_t slash = m_.name.rfind('/');
    return (slash == std::string::npos ? "." : m_.name.substr(0, slash)) + "/GNUSparseFile." + std::to_string(o_.pid) + "/" + m_.name.substr(slash == std::string::npos ? 0 : slash + 1);
  }

  // What a pax header says beyond the fields.
  void Extend() {
    if (!is_pax()) return;
    for (const auto& [key, time] : {std::pair{"atime", m_.accessed}, std::pair{"ctime", m_.changed}}) {
      if (!time) continue;
      const auto seconds = std::chrono::floor<std::chrono::seconds>(*time);
      Add(key, TimeText(seconds.count(), static_cast<int32_t>((*time - seconds).count())));
    }
    if (m_.user.size() > 31 || !IsAscii(m_.user)) Add("uname", m_.user);
    if (m_.group.size() > 31 || !IsAscii(m_.group)) Add("gname", m_.group);
    if (m_.names) Add("GNU.dumpdir", *m_.names);
    for (const auto& [key, value] : o_.pax_records) Add(key, value);
  }
  std::string ExtendedHeader() const {
    if (records_.empty()) return {};
    TarMember header;
    header.type = 'x';
    header.mode = 0644;
    header.stored = records_.size();
    header.modified = std::clamp<int64_t>(m_.modified, 0, (int64_t{1} << 33) - 1);
    std::string path = m_.name;
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    const size_t slash = path.rfind('/');
    header.name = !o_.pax_name.empty() ? o_.pax_name
                                       : (slash == std::string::npos ? "." : path.substr(0, slash)) + "/PaxHeaders/" + path.substr(slash == std::string::npos ? 0 : slash + 1);
    header.name.resize(std::min(header.name.size(), kNameField));
    TarHeaderOptions options;
    options.format = TarFormat::kUstar;
    const auto encoded = EncodeTarHeader(header, options);
    return encoded ? *encoded + Padded(records_) : std::string();
  }

  // Where a long name is cut into prefix and name; npos where it cannot be.
  static size_t SplitAt(const std::string& name) {
    if (name.size() <= kNameField) return std::string::npos;
    if (name.size() > kNameField + 156) return std::string::npos;
    const size_t last = name.back() == '/' ? name.size() - 2 : name.size() - 1;
    for (size_t i = std::min<size_t>(155, last); i > 0; --i) {
      if (name[i] == '/') return name.size() - i - 1 <= kNameField ? i : std::string::npos;
    }
    return std::string::npos;
  }

  void AddLongName(char type, const std::string& text) {
    char block[kTarBlock] = {};
    std::memcpy(block, "././@LongLink", 13);
    PutOctal(block + 100, 8, 0644);
    PutOctal(block + 108, 8, 0);
    PutOctal(block + 116, 8, 0);
    PutOctal(block + 124, 12, text.size() + 1);
    PutOctal(block + 136, 12, 0);
    block[156] = type;
    std::memcpy(block + 257, "ustar  ", 8);
    std::memcpy(block + 265, "root", 4);
    std::memcpy(block + 297, "root", 4);
    PutChecksum(block);
    front_ += std::string(block, kTarBlock) + Padded(text + '\0');
  }

  Status PutNames() {
    const bool is_v7 = o_.format == TarFormat::kV7;
    const size_t room = is_v7 || o_.format == TarFormat::kOldGnu ? kNameField - 1 : kNameField;
    m_.link.copy(block_ + 157, kNameField);
    if (is_pax() && m_.type == 'S' && o_.sparse_form != TarSparseForm::k00) {
      SparseName().copy(block_, kNameField);
      return {};
    }
    m_.name.copy(block_, room);
    if (is_pax()) {
      if (m_.link.size() > room || !IsAscii(m_.link)) Add("linkpath", m_.link);
      if (m_.name.size() > room || !IsAscii(m_.name)) Add("path", m_.name);
      return {};
    }
    if (m_.link.size() > room) {
      if (!is_gnu()) return Error(Code::kNameTooLong, m_.link + ": link name is too long; not dumped");
      AddLongName('K', m_.link);
    }
    if (m_.name.size() <= room) return {};
    if (is_gnu()) {
      AddLongName('L', m_.name);
      return {};
    }
    if (is_v7) return Error(Code::kNameTooLong, m_.name + ": file name is too long (max " + std::to_string(room) + "); not dumped");
    if (m_.name.size() > kNameField + 156) return Error(Code::kNameTooLong, m_.name + ": file name is too long (max 256); not dumped");
    const size_t at = SplitAt(m_.name);
    if (at == std::string::npos) return Error(Code::kNameTooLong, m_.name + ": file name is too long (cannot be split); not dumped");
    std::memset(block_, 0, kNameField);
    m_.name.copy(block_ + 345, at);
    m_.name.copy(block_, kNameField, at + 1);
    return {};
  }

  Status PutNumber(size_t at, size_t size, uint64_t value, const char* key) {
    if (PutOctal(block_ + at, size, value)) return {};
    if (is_gnu()) {
      PutBase256(block_ + at, size, value, false);
      return {};
    }
    if (!is_pax()) return Error(Code::kOverflow, "value " + std::to_string(value) + " out of " + key + "_t range 0.." + std::to_string((uint64_t{1} << (3 * (size - 1))) - 1));
    PutOctal(block_ + at, size, 0);
    Add(key, std::to_string(value));
    return {};
  }
  Status PutTime() {
    if (is_pax() && (m_.modified_nanos != 0 || m_.modified < 0 || m_.modified >> 33 != 0)) Add("mtime", TimeText(m_.modified, m_.modified_nanos));
    if (m_.modified >= 0 && PutOctal(block_ + 136, 12, static_cast<uint64_t>(m_.modified))) return {};
    if (is_pax()) PutOctal(block_ + 136, 12, 0);
    else if (is_gnu()) PutBase256(block_ + 136, 12, static_cast<uint64_t>(m_.modified), m_.modified < 0);
    else return Error(Code::kOverflow, "value " + std::to_string(m_.modified) + " out of time_t range 0..8589934591");
    return {};
  }

  Status PutOwners() {
    const bool is_device = m_.type == '3' || m_.type == '4';
    if (o_.format != TarFormat::kV7) {
      std::memcpy(block_ + 257, is_gnu() ? "ustar  " : "ustar\00000", 8);
      m_.user.copy(block_ + 265, is_gnu() ? 32 : 31);
      m_.group.copy(block_ + 297, is_gnu() ? 32 : 31);
    }
    if (is_gnu() && !is_device) return {};
    if (m_.type == 'x' || !o_.has_devices) return {};
    PADDOCK_TRY(PutNumber(329, 8, is_device ? m_.major : 0, "major"));
    return PutNumber(337, 8, is_device ? m_.minor : 0, "minor");
  }

  void PutSparse() {
    const auto put = [](char* at, const TarExtent& extent) {
      for (const auto& [field, value] : {std::pair{at, extent.offset}, std::pair{at + 12, extent.length}}) {
        if (!PutOctal(field, 12, value)) PutBase256(field, 12, value, false);
      }
    };
    size_t i = 0;
    for (; i < std::min<size_t>(4, m_.extents.size()); ++i) put(block_ + 386 + 24 * i, m_.extents[i]);
    if (!PutOctal(block_ + 483, 12, m_.size)) PutBase256(block_ + 483, 12, m_.size, false);
    block_[482] = i < m_.extents.size() ? '\1' : '\0';
    while (i < m_.extents.size()) {
      char block[kTarBlock] = {};
      for (size_t n = 0; n < 21 && i < m_.extents.size(); ++n, ++i) put(block + 24 * n, m_.extents[i]);
      block[504] = i < m_.extents.size() ? '\1' : '\0';
      sparse_rest_.append(block, kTarBlock);
    }
  }

  const TarMember& m_;
  const TarHeaderOptions& o_;
  char block_[kTarBlock] = {};
  std::string front_, records_, sparse_rest_;
};

}  // namespace

std::string TarSparseMap(const std::vector<TarExtent>& extents) {
  std::string map = std::to_string(extents.size()) + "\n";
  for (const TarExtent& extent : extents) map += std::to_string(extent.offset) + "\n" + std::to_string(extent.length) + "\n";
  return Padded(std::move(map));
}

std::string EncodeTarLabel(std::string_view label, int64_t time) {
  char block[kTarBlock] = {};
  label.copy(block, kNameField);
  PutOctal(block + 136, 12, static_cast<uint64_t>(std::max<int64_t>(time, 0)));
  block[156] = 'V';
  PutChecksum(block);
  return std::string(block, kTarBlock);
}

std::string EncodeTarContinuation(std::string_view name, uint64_t left, uint64_t offset) {
  char block[kTarBlock] = {};
  name.copy(block, kNameField);
  for (const auto& [field, value] : {std::pair{block + 124, left}, std::pair{block + 369, offset}}) {
    if (!PutOctal(field, 12, value)) PutBase256(field, 12, value, false);
  }
  block[156] = 'M';
  PutChecksum(block);
  return std::string(block, kTarBlock);
}

std::string EncodeTarGlobal(const std::string& name, int64_t time, const std::vector<std::pair<std::string, std::string>>& records) {
  std::string text;
  for (const auto& [key, value] : records) AddRecord(text, key, value);
  TarMember header;
  header.name = name.substr(0, kNameField);
  header.type = 'g';
  header.mode = 0644;
  header.stored = text.size();
  header.modified = std::max<int64_t>(time, 0);
  TarHeaderOptions options;
  options.format = TarFormat::kUstar;
  options.has_devices = false;
  const auto encoded = EncodeTarHeader(header, options);
  return encoded ? *encoded + Padded(std::move(text)) : std::string();
}

Result<std::string> EncodeTarHeader(const TarMember& member, const TarHeaderOptions& options) { return HeaderEncoder(member, options).Encode(); }

}  // namespace paddock::codec
