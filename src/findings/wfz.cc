// The zstd frame around a container. Nothing is believed of the frame's own claims: output grows as data really comes,
// up to the limit, and the window that a frame may ask for is bounded.
#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <memory>

#include "base/json_fields.h"
#include "findings/container.h"
#include "findings/finding.h"

namespace warpfuzz {
namespace {

constexpr int kLevel = 19, kWindowLogMax = 26;

Result<Bytes> decompress(std::span<const std::uint8_t> file) {
  if (file.empty()) return Error{"the file is empty"};
  if (!is_wfz(file)) return Error{"not a .wfz: it does not start with a zstd frame"};
  const unsigned long long claimed = ZSTD_getFrameContentSize(file.data(), file.size());
  if (claimed == ZSTD_CONTENTSIZE_ERROR) return Error{"the zstd frame's header is damaged or cut short"};
  if (claimed != ZSTD_CONTENTSIZE_UNKNOWN && claimed > kContainerLimit) {
    return Error{fmt::format("unpacks to {} bytes, at most {} are allowed", claimed, kContainerLimit)};
  }
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), &ZSTD_freeDCtx);
  if (!context) return Error{"no memory for the decompressor"};
  ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, kWindowLogMax);

  ZSTD_inBuffer in{file.data(), file.size(), 0};
  Bytes out;
  std::size_t filled = 0;
  for (;;) {
    out.resize(std::min<std::size_t>(std::max<std::size_t>(64 << 10, 2 * filled), kContainerLimit + 1));
    ZSTD_outBuffer piece{out.data(), out.size(), filled};
    const std::size_t left = ZSTD_decompressStream(context.get(), &piece, &in);
    if (ZSTD_isError(left)) return Error{fmt::format("the zstd frame is damaged: {}", ZSTD_getErrorName(left))};
    const bool stalled = piece.pos == filled && in.pos == in.size;
    filled = piece.pos;
    if (filled > kContainerLimit) return Error{fmt::format("unpacks to more than {} bytes", kContainerLimit)};
    if (left == 0) break;
    if (stalled) return Error{fmt::format("the zstd frame ends after {} bytes: the file is cut short", file.size())};
  }
  if (in.pos != in.size) return Error{fmt::format("{} bytes follow the zstd frame", in.size - in.pos)};
  out.resize(filled);
  return out;
}

}  // namespace

Bytes to_wfz(const Finding& f) {
  const Bytes payload = pack_container(f);
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), &ZSTD_freeCCtx);
  if (!context) return {};
  // Level 19 on megabytes takes seconds; a finding must be on disk at once.
  const int level = payload.size() > (1u << 20) ? 3 : kLevel;
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  Bytes out(ZSTD_compressBound(payload.size()));
  const std::size_t size = ZSTD_compress2(context.get(), out.data(), out.size(), payload.data(), payload.size());
  if (ZSTD_isError(size)) return {};
  out.resize(size);
  return out;
}

std::string write_wfz(const std::string& path, const Finding& f, Folders folders) {
  const Bytes bytes = to_wfz(f);
  return bytes.empty() ? fmt::format("cannot write '{}': no memory for the compressor", path)
                       : write_file(path, bytes, folders);
}

bool is_wfz(std::span<const std::uint8_t> file) {
  constexpr std::uint8_t magic[] = {0x28, 0xb5, 0x2f, 0xfd};
  return file.size() >= sizeof magic && std::equal(magic, magic + sizeof magic, file.begin());
}

Result<Finding> from_wfz(std::span<const std::uint8_t> file) {
  const Result<Bytes> payload = decompress(file);
  if (!payload) return payload.error();
  return unpack_container(*payload);
}

Result<Finding> read_wfz(const std::string& path) {
  const Result<Bytes> file = read_file(path);
  if (!file) return file.error();
  Result<Finding> finding = from_wfz(*file);
  if (!finding) return Error{fmt::format("'{}': {}", printable(path, false), finding.line())};
  return finding;
}

}  // namespace warpfuzz
