// Allocates, copies in, calls the launcher, copies back and compares.
namespace repro {

// "3f800000*3 40000000": elements as hexadecimal bits, *N where N of them are the same.
inline std::vector<std::uint64_t> expand(const char* text) {
  std::vector<std::uint64_t> list;
  while (*text) {
    char* end = nullptr;
    const std::uint64_t bits = std::strtoull(text, &end, 16);
    std::size_t n = 1;
    if (*end == '*') n = std::strtoull(end + 1, &end, 10);
    list.insert(list.end(), n, bits);
    text = *end ? end + 1 : end;
  }
  return list;
}

// Positions in the storage of all elements, in row-major order.
inline std::vector<std::size_t> positions(const Tensor& t) {
  std::size_t n = 1;
  for (const long long extent : t.shape) n *= std::size_t(extent);
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < n; ++i) {
    long long at = t.offset;
    std::size_t rest = i;
    for (std::size_t a = t.shape.size(); a-- > 0; rest /= std::size_t(t.shape[a]))
      at += t.strides[a] * (long long)(rest % std::size_t(t.shape[a]));
    list.push_back(std::size_t(at));
  }
  return list;
}

inline std::string coordinates(const Tensor& t, std::size_t i) {
  std::string text;
  for (std::size_t a = t.shape.size(); a-- > 0; i /= std::size_t(t.shape[a]))
    text = std::to_string(i % std::size_t(t.shape[a])) + (text.empty() ? "" : ",") + text;
  return "[" + text + "]";
}

struct SetupError {
  const char* what;
  cudaError_t error;
};
struct KernelError {
  const char* what;
  cudaError_t error;
};
inline void setup(const char* what, cudaError_t error) {
  if (error != cudaSuccess) throw SetupError{what, error};
}

class Run {
 public:
  explicit Run(int variant)
      : variant_(variant), data_(tensors.size()), pointers_(tensors.size()), images_(tensors.size()) {
    setup("cudaStreamCreate", cudaStreamCreate(&stream_));
    for (std::size_t k = 0; k < tensors.size(); ++k) {
      const Tensor& t = tensors[k];
      if (!t.present) continue;
      // Exactly the tensor's bytes, so that compute-sanitizer sees the first access beyond them.
      setup("cudaMalloc", cudaMalloc(&data_[k], std::max<std::size_t>(1, std::size_t(t.storage) * size_of(t.dtype))));
      pointers_[k] = static_cast<char*>(data_[k]) + std::size_t(t.offset) * size_of(t.dtype);
    }
  }
  ~Run() {
    for (void* p : data_) cudaFree(p);
    cudaStreamDestroy(stream_);
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // One call on the buffers; the second finds the workspaces as the first left them.
  void call(int number) {
    for (std::size_t k = 0; k < tensors.size(); ++k) {
      if (!tensors[k].present || (tensors[k].role == Role::workspace && number > 0)) continue;
      prepare(k, number);
      setup("cudaMemcpy", cudaMemcpy(data_[k], images_[k].data(), images_[k].size(), cudaMemcpyHostToDevice));
    }
    setup("cudaDeviceSynchronize", cudaDeviceSynchronize());
    launcher(Launch(pointers_, stream_));
    if (const cudaError_t error = cudaGetLastError()) throw KernelError{"the launch", error};
    wait();
  }

  // Compares every output, and what a kernel must leave alone; prints the first wrong elements.
  void compare(int number) {
    for (const Allowed& a : outputs)
      if (a.call == number) compare_output(std::size_t(a.tensor), a);
    for (std::size_t k = 0; k < tensors.size(); ++k)
      if (tensors[k].present && tensors[k].role != Role::workspace) compare_rest(k);
  }
  const std::vector<std::vector<std::uint64_t>>& results() const { return results_; }

 private:
  void prepare(std::size_t k, int number) {
    const Tensor& t = tensors[k];
    const std::size_t size = size_of(t.dtype);
    images_[k].resize(std::size_t(t.storage) * size);
    for (std::size_t i = 0; i < std::size_t(t.storage); ++i)
      std::memcpy(&images_[k][i * size], &t.padding[variant_], size);
    const std::vector<std::size_t> at = positions(t);
    std::vector<std::uint64_t> values(at.size(), t.poison[variant_]);
    for (const Contents& c : inputs)
      if (c.call == number && std::size_t(c.tensor) == k) values = expand(c.bits);
    for (std::size_t i = 0; i < at.size(); ++i) std::memcpy(&images_[k][at[i] * size], &values[i], size);
  }

  // A kernel that does not end is not waited for: the process ends instead.
  void wait() {
    cudaEvent_t done = nullptr;
    setup("cudaEventCreate", cudaEventCreate(&done));
    cudaEventRecord(done, stream_);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(kSeconds);
    while (cudaEventQuery(done) == cudaErrorNotReady) {
      if (std::chrono::steady_clock::now() < deadline) continue;
      std::printf("repro: %s: the kernel still runs after %d s\n", kTitle, kSeconds);
      std::fflush(stdout);
      std::_Exit(2);
    }
    cudaEventDestroy(done);
    if (const cudaError_t error = cudaDeviceSynchronize()) throw KernelError{"the kernel", error};
  }

  std::vector<unsigned char> read(std::size_t k) const {
    std::vector<unsigned char> raw(images_[k].size());
    setup("cudaMemcpy", cudaMemcpy(raw.data(), data_[k], raw.size(), cudaMemcpyDeviceToHost));
    return raw;
  }

  void compare_output(std::size_t k, const Allowed& a) {
    const Tensor& t = tensors[k];
    const std::vector<unsigned char> raw = read(k);
    const std::vector<std::uint64_t> lo = expand(a.lo), hi = expand(a.hi), rules = expand(a.rules);
    const std::vector<std::size_t> at = positions(t);
    std::vector<std::uint64_t> got(at.size());
    for (std::size_t i = 0; i < at.size(); ++i) {
      std::memcpy(&got[i], &raw[at[i] * size_of(t.dtype)], size_of(t.dtype));
      const Element e{lo[i], hi[i], unsigned(rules[i])};
      ++checked;
      if (is_allowed(t.dtype, got[i], e, t.poison[variant_])) continue;
      report(std::string(t.name) + coordinates(t, i), got_text(t.dtype, got[i], t.poison[variant_]),
             allowed_text(t.dtype, e), a.call);
    }
    results_.push_back(std::move(got));
  }

  // Inputs, and the padding of outputs.
  void compare_rest(std::size_t k) {
    const Tensor& t = tensors[k];
    const std::size_t size = size_of(t.dtype);
    const std::vector<unsigned char> raw = read(k);
    std::vector<bool> skip(std::size_t(t.storage), false);
    if (t.role != Role::in)
      for (const std::size_t at : positions(t)) skip[at] = true;
    for (std::size_t i = 0; i < skip.size(); ++i) {
      if (skip[i] || !std::memcmp(&raw[i * size], &images_[k][i * size], size)) continue;
      std::uint64_t before = 0, after = 0;
      std::memcpy(&before, &images_[k][i * size], size);
      std::memcpy(&after, &raw[i * size], size);
      report(std::string(t.role == Role::in ? "input " : "padding of ") + std::string(t.name) + ", element " +
                 std::to_string(i) + " of its storage",
             got_text(t.dtype, after, 1), "unchanged: " + number(value_of(t.dtype, before)), 0);
    }
  }

  static void report(const std::string& where, const std::string& got, const std::string& allowed, int call) {
    if (wrong++ == 0) std::printf("  %-24s %-40s %s\n", "wrong element", "got", "allowed");
    if (wrong <= 10)
      std::printf("  %-24s %-40s %s%s\n", where.c_str(), got.c_str(), allowed.c_str(), call ? " (second call)" : "");
  }

 public:
  static inline std::size_t checked = 0, wrong = 0;

 private:
  int variant_;
  cudaStream_t stream_ = nullptr;
  std::vector<void*> data_, pointers_;
  std::vector<std::vector<unsigned char>> images_;  // what the storage held before the call
  std::vector<std::vector<std::uint64_t>> results_;
};

inline std::size_t differences(const std::vector<std::vector<std::uint64_t>>& a,
                               const std::vector<std::vector<std::uint64_t>>& b) {
  std::size_t n = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const DType t = tensors[std::size_t(outputs[k].tensor)].dtype;
    for (std::size_t i = 0; i < a[k].size(); ++i)
      n += a[k][i] != b[k][i] && !(std::isnan(value_of(t, a[k][i])) && std::isnan(value_of(t, b[k][i])));
  }
  return n;
}

inline int reproduce() {
  std::vector<std::vector<std::uint64_t>> first;
  for (int i = 0; i < kRepetitions; ++i) {
    Run run(i % 2);
    for (int call = 0; call < kCalls; ++call) {
      run.call(call);
      run.compare(call);
    }
    if (i == 0) first = run.results();
    const std::size_t differing = differences(first, run.results());
    if (differing)
      std::printf("  repetition %d: %zu outputs differ in their bits from those of the first\n", i + 1, differing);
    Run::wrong += differing;
    if (Run::wrong) break;
  }
  if (Run::wrong > 10) std::printf("  ... and %zu more\n", Run::wrong - 10);
  std::printf("repro: %s: %s, %zu wrong of %zu outputs\n", kTitle, Run::wrong ? "REPRODUCED" : "nothing is wrong",
              Run::wrong, Run::checked);
  if (!Run::wrong && *kHint) std::printf("repro: %s\n", kHint);
  return Run::wrong ? 1 : 0;
}

inline int guarded() {
  int devices = 0;
  try {
    setup("no CUDA device", cudaGetDeviceCount(&devices));
    if (devices == 0) throw SetupError{"no CUDA device", cudaErrorNoDevice};
    return reproduce();
  } catch (const SetupError& e) {
    std::printf("repro: %s: %s\n", e.what, cudaGetErrorString(e.error));
    return 3;
  } catch (const KernelError& e) {
    const bool wrong_build = e.error == cudaErrorNoKernelImageForDevice || e.error == cudaErrorUnsupportedPtxVersion;
    std::printf("repro: %s: %s failed: %s%s\n", kTitle, e.what, cudaGetErrorString(e.error),
                wrong_build ? "; build it for this GPU: -arch=native" : "");
    return wrong_build ? 3 : 2;
  }
}

}  // namespace repro

int main() { return repro::guarded(); }
