#include <array>

#include "commands/file/file_kind.h"

namespace paddock::file {
namespace {

using namespace std::string_view_literals;

std::string Times(uint64_t width, uint64_t height) { return std::to_string(width) + " x " + std::to_string(height); }

// Hertz as kilohertz, "44.1 kHz".
std::string Kilohertz(uint64_t hertz) {
  std::string text = std::to_string(hertz / 1000);
  std::string rest = std::to_string(1000 + hertz % 1000).substr(1);
  while (rest.ends_with('0')) rest.pop_back();
  return text + (rest.empty() ? "" : "." + rest) + " kHz";
}

Kind Png(std::string_view b) {
  std::string text = "PNG image data";
  if (Part(b, 12, 4) == "IHDR") {
    text += ", " + Times(Big(b, 16, 4), Big(b, 20, 4)) + ", " + std::to_string(Big(b, 24, 1)) + "-bit";
    switch (Big(b, 25, 1)) {
      case 0: text += " grayscale,"; break;
      case 2: text += "/color RGB,"; break;
      case 3: text += " colormap,"; break;
      case 4: text += " gray+alpha,"; break;
      case 6: text += "/color RGBA,"; break;
      default: break;
    }
    text += Big(b, 28, 1) == 1 ? " interlaced" : " non-interlaced";
  }
  return {text, "image/png", "png"};
}

Kind Jpeg(std::string_view b) {
  std::string text = "JPEG image data";
  if (Part(b, 6, 4) == "JFIF") {
    const uint64_t minor = Big(b, 12, 1);
    text += ", JFIF standard " + std::to_string(Big(b, 11, 1)) + "." + (minor < 10 ? "0" : "") + std::to_string(minor);
    constexpr std::array kUnits = {"aspect ratio", "resolution (DPI)", "resolution (DPCM)"};
    if (Big(b, 13, 1) < kUnits.size()) text += std::string(", ") + kUnits[Big(b, 13, 1)];
    text += ", density " + std::to_string(Big(b, 14, 2)) + "x" + std::to_string(Big(b, 16, 2)) + ", segment length " +
            std::to_string(Big(b, 4, 2));
  }
  // The frame header is behind the other segments.
  for (size_t at = 2; at + 9 < b.size() && Big(b, at, 1) == 0xff;) {
    const uint64_t marker = Big(b, at + 1, 1);
    if (marker >= 0xc0 && marker <= 0xc2) {
      constexpr std::array kFrames = {"baseline", "extended sequential", "progressive"};
      text += std::string(", ") + kFrames[marker - 0xc0] + ", precision " + std::to_string(Big(b, at + 4, 1)) + ", " +
              std::to_string(Big(b, at + 7, 2)) + "x" + std::to_string(Big(b, at + 5, 2)) + ", components " +
              std::to_string(Big(b, at + 9, 1));
      break;
    }
    at += 2 + Big(b, at + 2, 2);
  }
  return {text, "image/jpeg", "jpeg/jpg/jpe/jfif"};
}

Kind Bmp(std::string_view b) {
  const uint64_t header = Little(b, 14, 4);
  std::string text = "PC bitmap";
  if (header == 40) {
    const auto height = static_cast<int32_t>(Little(b, 22, 4));
    text += ", Windows 3.x format, " + std::to_string(Little(b, 18, 4)) + " x " + std::to_string(height) + " x " +
            std::to_string(Little(b, 28, 2));
    if (Little(b, 34, 4) != 0) text += ", image size " + std::to_string(Little(b, 34, 4));
    if (Little(b, 38, 4) != 0) {
      text += ", resolution " + Times(Little(b, 38, 4), Little(b, 42, 4)) + " px/m";
    }
    text += ", cbSize " + std::to_string(Little(b, 2, 4)) + ", bits offset " + std::to_string(Little(b, 10, 4));
  }
  return {text, "image/bmp", "bmp"};
}

Kind Icon(std::string_view b) {
  const uint64_t count = Little(b, 4, 2);
  const auto side = [&b](size_t at) { return std::to_string(Little(b, at, 1) == 0 ? 256 : Little(b, at, 1)); };
  std::string text = "MS Windows icon resource - " + std::to_string(count) + (count == 1 ? " icon, " : " icons, ");
  text += side(6) + "x" + side(7);
  if (Little(b, 12, 2) != 0) text += ", " + std::to_string(Little(b, 12, 2)) + " bits/pixel";
  return {text, "image/vnd.microsoft.icon", "ico"};
}

std::optional<Kind> Riff(std::string_view b) {
  const std::string_view form = Part(b, 8, 4);
  const std::string lead = "RIFF (little-endian) data";
  if (form == "WAVE") {
    std::string text = lead + ", WAVE audio";
    if (Little(b, 20, 2) == 1) text += ", Microsoft PCM";
    if (Little(b, 34, 2) != 0) text += ", " + std::to_string(Little(b, 34, 2)) + " bit";
    const uint64_t channels = Little(b, 22, 2);
    text += channels == 1 ? ", mono" : channels == 2 ? ", stereo" : ", " + std::to_string(channels) + " channels";
    return Kind{text + " " + std::to_string(Little(b, 24, 4)) + " Hz", "audio/x-wav"};
  }
  if (form == "WEBP") {
    std::string text = lead + ", Web/P image";
    if (Part(b, 12, 4) == "VP8 ") {
      text += ", VP8 encoding, " + std::to_string(Little(b, 26, 2) & 0x3fff) + "x" + std::to_string(Little(b, 28, 2) & 0x3fff) +
              ", Scaling: [none]x[none], YUV color, decoders should clamp";
    }
    return Kind{text, "image/webp", "webp"};
  }
  if (form == "AVI ") return Kind{lead + ", AVI", "video/x-msvideo", "avi"};
  return Kind{lead, "application/octet-stream"};
}

Kind IsoMedia(std::string_view b) {
  struct Brand {
    const char* brand;
    const char* text;
    const char* mime;
  };
  constexpr Brand kBrands[] = {
      {"isom", "MP4 Base Media v1 [ISO 14496-12:2003]", "video/mp4"},
      {"iso2", "MP4 Base Media v2 [ISO 14496-12:2005]", "video/mp4"},
      {"iso4", "MP4 Base Media v4", "video/mp4"},
      {"iso5", "MP4 Base Media v5", "video/mp4"},
      {"iso6", "MP4 Base Media v6", "video/mp4"},
      {"mp41", "MP4 v1 [ISO 14496-1:ch13]", "video/mp4"},
      {"mp42", "MP4 v2 [ISO 14496-14]", "video/mp4"},
      {"avc1", "MPEG v4 system, 3GPP JVT AVC [ISO 14496-12:2005]", "video/mp4"},
      {"qt  ", "Apple QuickTime movie, Apple QuickTime (.MOV/QT)", "video/quicktime"},
      {"M4A ", "Apple iTunes ALAC/AAC-LC (.M4A) Audio", "audio/x-m4a"},
      {"M4V ", "Apple iTunes Video (.M4V) Video", "video/x-m4v"},
      {"avif", "AVIF Image", "image/avif"},
      {"heic", "HEIF Image HEVC Main or Main Still Picture Profile", "image/heic"},
  };
  for (const Brand& known : kBrands) {
    if (Part(b, 8, 4) == known.brand) return {std::string("ISO Media, ") + known.text, known.mime};
  }
  return {"ISO Media", "video/mp4"};
}

// The frame header of an MPEG audio stream, without its sync bits.
std::optional<std::string> MpegFrame(std::string_view b, size_t at) {
  if (Big(b, at, 2) != 0xfffb && Big(b, at, 2) != 0xfffa) return std::nullopt;
  constexpr std::array kRates = {0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0};
  constexpr std::array kSamples = {"44.1", "48", "32", ""};
  constexpr std::array kModes = {"Stereo", "JntStereo", "2x Monaural", "Monaural"};
  const uint64_t flags = Big(b, at + 2, 1);
  std::string text = "MPEG ADTS, layer III, v1";
  if (kRates[flags >> 4] != 0) text += ", " + std::to_string(kRates[flags >> 4]) + " kbps";
  if (((flags >> 2) & 3) != 3) text += std::string(", ") + kSamples[(flags >> 2) & 3] + " kHz";
  return text + ", " + kModes[Big(b, at + 3, 1) >> 6];
}

Kind TaggedAudio(std::string_view b) {
  std::string text = "Audio file with ID3 version 2." + std::to_string(Big(b, 3, 1)) + "." + std::to_string(Big(b, 4, 1));
  size_t size = 0;
  for (size_t i = 6; i < 10; ++i) size = size << 7 | (Big(b, i, 1) & 0x7f);
  if (const auto frame = MpegFrame(b, size + 10)) text += ", contains: " + *frame;
  return {text, "audio/mpeg", "mp3"};
}

Kind Ogg(std::string_view b) {
  if (Part(b, 28, 7) == "\x01vorbis"sv) {
    const uint64_t channels = Little(b, 39, 1);
    return {std::string("Ogg data, Vorbis audio, ") +
                (channels == 1 ? "mono" : channels == 2 ? "stereo" : std::to_string(channels) + " channels") + ", " +
                std::to_string(Little(b, 40, 4)) + " Hz",
            "audio/ogg"};
  }
  if (Part(b, 28, 8) == "OpusHead") return {"Ogg data, Opus audio", "audio/ogg"};
  if (Part(b, 28, 7) == "\x80theora"sv) return {"Ogg data, Theora video", "video/ogg"};
  return {"Ogg data", "application/ogg"};
}

Kind Flac(std::string_view b) {
  std::string text = "FLAC audio bitstream data";
  const uint64_t packed = Big(b, 18, 8);
  const uint64_t rate = packed >> 44, channels = (packed >> 41 & 7) + 1, bits = (packed >> 36 & 31) + 1;
  const uint64_t samples = packed & 0xfffffffff;
  text += ", " + std::to_string(bits) + " bit, " +
          (channels == 1 ? "mono" : channels == 2 ? "stereo" : std::to_string(channels) + " channels") + ", " + Kilohertz(rate);
  text += samples == 0 ? ", length unknown" : ", " + std::to_string(samples) + " samples";
  return {text, "audio/flac"};
}

Kind Tiff(std::string_view b, bool is_big) {
  const auto number = [&](size_t at, size_t size) { return is_big ? Big(b, at, size) : Little(b, at, size); };
  const size_t directory = number(4, 4);
  const uint64_t entries = number(directory, 2);
  std::string text = std::string("TIFF image data, ") + (is_big ? "big" : "little") + "-endian, direntries=" +
                     std::to_string(entries);
  for (size_t i = 0; i < entries && directory + 2 + 12 * i < b.size(); ++i) {
    const size_t entry = directory + 2 + 12 * i;
    if (number(entry, 2) == 256) text += ", width=" + std::to_string(number(entry + 8, number(entry + 2, 2) == 3 ? 2 : 4));
    if (number(entry, 2) == 257) text += ", height=" + std::to_string(number(entry + 8, number(entry + 2, 2) == 3 ? 2 : 4));
  }
  return {text, "image/tiff", "tif/tiff"};
}

}  // namespace

std::optional<Kind> FindMedia(std::string_view b) {
  if (b.starts_with("\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR"sv)) return Png(b);
  if (b.starts_with("\xff\xd8\xff"sv)) return Jpeg(b);
  if (b.starts_with("GIF8")) {
    return Kind{"GIF image data, version " + std::string(Part(b, 3, 3)) + ", " + Times(Little(b, 6, 2), Little(b, 8, 2)),
                "image/gif", "gif"};
  }
  if (b.starts_with("BM") && Little(b, 14, 4) >= 12 && Little(b, 14, 4) <= 124) return Bmp(b);
  if (b.starts_with("\0\0\1\0"sv) && Little(b, 4, 2) > 0 && Little(b, 4, 2) < 256 && Little(b, 9, 1) == 0) return Icon(b);
  if (b.starts_with("RIFF")) return Riff(b);
  if (b.starts_with("II*\0"sv)) return Tiff(b, false);
  if (b.starts_with("MM\0*"sv)) return Tiff(b, true);
  if (Part(b, 4, 4) == "ftyp") return IsoMedia(b);
  if (b.starts_with("ID3")) return TaggedAudio(b);
  if (const auto frame = MpegFrame(b, 0)) return Kind{*frame, "audio/mpeg", "mp3"};
  if (b.starts_with("OggS")) return Ogg(b);
  if (b.starts_with("fLaC")) return Flac(b);
  if (b.starts_with("MThd")) {
    return Kind{"Standard MIDI data (format " + std::to_string(Big(b, 8, 2)) + ") using " + std::to_string(Big(b, 10, 2)) +
                    " tracks at 1/" + std::to_string(Big(b, 12, 2)),
                "audio/midi", "midi/mid"};
  }
  if (b.starts_with("\x1a\x45\xdf\xa3"sv)) {
    const bool is_web = Part(b, 0, 64).find("webm") != std::string_view::npos;
    return is_web ? Kind{"WebM", "video/webm", "webm"} : Kind{"Matroska data", "video/x-matroska", "mkv"};
  }
  if (b.starts_with("8BPS")) {
    constexpr std::array kModes = {"bitmap", "grayscale", "indexed", "RGB", "CMYK"};
    std::string text = "Adobe Photoshop Image, " + Times(Big(b, 18, 4), Big(b, 14, 4));
    if (Big(b, 24, 2) < kModes.size()) text += std::string(", ") + kModes[Big(b, 24, 2)];
    return Kind{text + ", " + std::to_string(Big(b, 12, 2)) + "x " + std::to_string(Big(b, 22, 2)) + "-bit channels",
                "image/vnd.adobe.photoshop", "psd"};
  }
  return std::nullopt;
}

}  // namespace paddock::file
