// Drawing the table, writing the log.
#include "campaign/run_view.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/json_fields.h"
#include "client/context.h"
#include "findings/format.h"

namespace warpfuzz::cli {
namespace {

constexpr off_t kLargestLog = 16 << 20;

struct Size {
  int rows = 24, columns = 100;
};
Size terminal_size() {
  winsize w{};
  Size s;
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_row > 3 && w.ws_col > 20) s = {w.ws_row, w.ws_col};
  return s;
}

std::string dated(const std::string& text) {
  return utc_now("%Y-%m-%dT%H:%M:%SZ") + " " + printable(text, false) + "\n";
}

}  // namespace

void RunLog::line(const std::string& text) {
  const std::string whole = dated(text);
  if (show_) print(whole), std::fflush(stdout);
  add(whole);
}

void RunLog::keep(const std::string& text) { add(dated(text)); }

void RunLog::add(const std::string& whole) {
  struct stat st{};
  if (::stat(path_.c_str(), &st) == 0 && st.st_size > kLargestLog) ::rename(path_.c_str(), (path_ + ".1").c_str());
  const int fd = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  const bool good = fd >= 0 && ::write(fd, whole.data(), whole.size()) == static_cast<ssize_t>(whole.size());
  if (!good && !failed_)
    note(fmt::format("cannot write the log '{}': {}; the campaign goes on without", path_, std::strerror(errno)));
  failed_ = !good;
  if (fd >= 0) ::close(fd);
}

std::string amount(double n) {
  if (n < 10000) return fmt::format("{:.0f}", n);
  if (n < 1e6) return fmt::format("{:.1f}k", n / 1e3);
  if (n < 1e9) return fmt::format("{:.1f}M", n / 1e6);
  return fmt::format("{:.1f}G", n / 1e9);
}

std::string duration(double s) {
  if (s < 100) return fmt::format("{:.0f} s", s);
  if (s < 6000) return fmt::format("{:.0f} min", s / 60);
  if (s < 172800) return fmt::format("{:.1f} h", s / 3600);
  return fmt::format("{:.1f} d", s / 86400);
}

std::string keys_text(const std::vector<FindingRow>& findings) {
  std::string text;
  for (const FindingRow& f : findings)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                        f.key.starts_with(f.target + "/") ? f.key.substr(f.target.size() + 1) : f.key,
                        amount(static_cast<double>(f.count)));
  return text;
}

void RunView::clear() {
  if (!on_ || !lines_) return;
  print(fmt::format("\x1b[{}A\x1b[J", lines_));
  lines_ = 0;
}

void RunView::draw(const Screen& screen) {
  if (!on_) return;
  const Size size = terminal_size();
  const std::vector<std::string> lines = lines_of(screen, size.rows - 1, size.columns);
  clear();
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  lines_ = static_cast<int>(lines.size());
  print(out);
  std::fflush(stdout);
}

}  // namespace warpfuzz::cli
