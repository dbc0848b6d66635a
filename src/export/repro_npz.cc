// A .npz: a zip archive of .npy arrays, deflated.
//   call1.x                     an input; of bf16 as float32, and as call1.x.bf16 (uint16: its bits)
//   call1.y.got                 the kernel's output on the CPU, where it got that far
//   call1.y.reference           fp64
//   call1.y.lo, .hi, .rules     what is allowed (docs/export.md)
#include <fmt/format.h>
#include <zlib.h>

#include <cstring>

#include "base/exit_codes.h"
#include "client/context.h"
#include "export/repro.h"
#include "numeric/round.h"

namespace warpfuzz::cli {
namespace {

void put(Bytes& out, std::uint64_t v, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<std::uint8_t>(v >> 8 * i));
}
void append(Bytes& out, const Bytes& more) { out.insert(out.end(), more.begin(), more.end()); }
void append(Bytes& out, std::string_view text) { out.insert(out.end(), text.begin(), text.end()); }

// Raw deflate, as zip wants it.
Bytes deflated(const Bytes& in) {
  z_stream z{};
  if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw Failure(kExitInternal, "zlib: deflateInit2 failed");
  Bytes out(deflateBound(&z, in.size()));
  z.next_in = const_cast<Bytef*>(in.data());
  z.avail_in = static_cast<uInt>(in.size());
  z.next_out = out.data();
  z.avail_out = static_cast<uInt>(out.size());
  const int result = deflate(&z, Z_FINISH);
  out.resize(z.total_out);
  deflateEnd(&z);
  if (result != Z_STREAM_END) throw Failure(kExitInternal, fmt::format("zlib: deflate returned {}", result));
  return out;
}

// Without dates: the same case gives the same file.
class Zip {
 public:
  void add(const std::string& name, const Bytes& contents) {
    const Bytes data = deflated(contents);
    Bytes fields;
    put(fields, 20, 2);    // version needed
    put(fields, 0, 2);     // flags
    put(fields, 8, 2);     // deflate
    put(fields, 0, 2);     // time
    put(fields, 0x21, 2);  // 1980-01-01
    put(fields, crc32(0, contents.data(), static_cast<uInt>(contents.size())), 4);
    put(fields, data.size(), 4);
    put(fields, contents.size(), 4);
    put(fields, name.size(), 2);
    put(fields, 0, 2);  // extra
    put(directory_, 0x02014b50, 4);
    put(directory_, 20, 2);  // version made by
    append(directory_, fields);
    put(directory_, 0, 2);  // comment
    put(directory_, 0, 2);  // disk
    put(directory_, 0, 2);  // attributes
    put(directory_, 0, 4);
    put(directory_, out_.size(), 4);
    append(directory_, name);
    put(out_, 0x04034b50, 4);
    append(out_, fields);
    append(out_, name);
    append(out_, data);
    ++files_;
  }
  Bytes finish() {
    const std::size_t at = out_.size();
    append(out_, directory_);
    put(out_, 0x06054b50, 4);
    put(out_, 0, 4);  // disks
    put(out_, files_, 2);
    put(out_, files_, 2);
    put(out_, directory_.size(), 4);
    put(out_, at, 4);
    put(out_, 0, 2);  // comment
    return std::move(out_);
  }

 private:
  Bytes out_, directory_;
  std::size_t files_ = 0;
};

// Version 1.0: magic, length, a Python dictionary padded to 64 bytes, the elements in C order.
Bytes npy(const char* descr, const std::vector<std::uint64_t>& shape, const Bytes& data) {
  std::string tuple;
  for (const std::uint64_t n : shape) tuple += fmt::format("{}, ", n);
  std::string head = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr,
                                 tuple.empty() ? "" : tuple.substr(0, tuple.size() - 1));
  head.append(63 - (10 + head.size()) % 64, ' ');
  head += '\n';
  Bytes out;
  append(out, std::string_view("\x93NUMPY\x01\x00", 8));
  put(out, head.size(), 2);
  append(out, head);
  append(out, data);
  return out;
}

const char* descr_of(DType t) {
  switch (t) {
    case DType::f32: return "<f4";
    case DType::f16: return "<f2";
    case DType::bf16: return "<u2";
    case DType::f64: return "<f8";
    case DType::i32: return "<i4";
    case DType::i64: return "<i8";
    case DType::u8: return "|u1";
  }
  return "";
}

void add_array(Zip& zip, const std::string& name, const CaseTensor& t, const Bytes& bits) {
  if (t.dtype != DType::bf16) return zip.add(name + ".npy", npy(descr_of(t.dtype), t.shape, bits));
  std::vector<float> values(bits.size() / 2);
  load_floats(t.dtype, bits.data(), values.size(), values.data());
  Bytes wide(values.size() * sizeof(float));
  if (!wide.empty()) std::memcpy(wide.data(), values.data(), wide.size());
  zip.add(name + ".npy", npy("<f4", t.shape, wide));
  zip.add(name + ".bf16.npy", npy("<u2", t.shape, bits));
}

}  // namespace

Bytes repro_npz(const Repro& r) {
  Zip zip;
  const std::string about = (r.key.empty() ? r.target : r.key) + "\n" + r.headline + "\n" + r.contents.text;
  zip.add("case.txt", Bytes(about.begin(), about.end()));
  for (std::size_t call = 0; call < r.contents.calls.size(); ++call) {
    const std::string prefix = fmt::format("call{}.", call + 1);
    for (const TensorInput& in : r.contents.calls[call].inputs)
      add_array(zip, prefix + r.contents.tensors[in.tensor].name, r.contents.tensors[in.tensor], in.bits);
    for (const TensorOutput& o : r.contents.calls[call].outputs) {
      const CaseTensor& t = r.contents.tensors[o.tensor];
      const std::string name = prefix + t.name;
      if (o.got) add_array(zip, name + ".got", t, *o.got);
      add_array(zip, name + ".lo", t, o.lo);
      add_array(zip, name + ".hi", t, o.hi);
      zip.add(name + ".reference.npy", npy("<f8", t.shape, o.reference));
      zip.add(name + ".rules.npy", npy("|u1", t.shape, o.rules));
    }
  }
  return zip.finish();
}

}  // namespace warpfuzz::cli
