// The `warpfuzz` command. It links no kernel: it reads findings itself and asks the target binaries everything else.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <csignal>
#include <functional>

#include <fmt/format.h>

#include "base/exit_codes.h"
#include "base/json_fields.h"
#include "cli/commands.h"
#include "cli/misspelt.h"
#include "client/printed_command.h"

namespace warpfuzz::cli {
namespace {

constexpr double kMostSeconds = 1e6;

// Of an option in seconds: "" or what is expected.
std::string seconds_error(const std::string& text) {
  const char* end = text.data() + text.size();
  double seconds = 0;
  const auto [at, error] = std::from_chars(text.data(), end, seconds);
  if (error == std::errc() && at == end && seconds > 0 && seconds <= kMostSeconds) return "";
  return fmt::format("expected seconds, more than 0 and at most {:.0f}, got '{}'", kMostSeconds,
                     printable(text, false));
}

// "90", "90s", "45m", "12h", "7d" to seconds.
CLI::Validator time_in_seconds() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        constexpr std::pair<char, double> kUnits[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
        double value = 0, factor = 1;
        const char* end = text.data() + text.size();
        const auto [at, error] = std::from_chars(text.data(), end, value);
        const auto unit = std::find_if(std::begin(kUnits), std::end(kUnits),
                                       [&](const auto& u) { return end - at == 1 && *at == u.first; });
        if (unit != std::end(kUnits)) factor = unit->second;
        if (error != std::errc() || (at != end && unit == std::end(kUnits)) || !(value >= 0) || value * factor > 1e9)
          return fmt::format("expected a time such as 90, 45m, 12h or 7d, got '{}'", printable(text, false));
        text = fmt::format("{}", value * factor);
        return "";
      },
      "TIME");
}

// An error as one line for people and, under --json, as an object on standard output.
int failed(bool json, int code, const std::string& message) {
  if (json) {
    const auto known = std::find_if(std::begin(kExitCodes), std::end(kExitCodes),
                                    [&](const ExitCodeInfo& e) { return e.code == code; });
    print_json({{"error",
                 {{"code", code},
                  {"name", known == std::end(kExitCodes) ? "" : known->name},
                  {"message", printable(message, false)}}}});
  }
  note(message);
  return code;
}

// The commands and their options; `run` is set to the one that was chosen.
class CommandLine {
 public:
  CommandLine() {
    app_.require_subcommand(1);
    app_.add_option("--bin", context.bin, "Folder of the target binaries (default: the one of this executable)")
        ->type_name("DIR");
    app_.add_option("--timeout", context.timeout, "Seconds that one request to a target may take")
        ->check(CLI::Validator(seconds_error, "SECONDS"))
        ->type_name("SECONDS");
    app_.add_flag("--json", context.json, "Print JSON");
    add_findings();
    add_cases();
    add_measures();
    add_report();
    add("version", "Print the versions of the command and of its formats", [this] { return version(context); });
  }

  void parse(int argc, char** argv) { app_.parse(argc, argv); }
  // What is wrong with a command line that does not parse: a name that does not exist, or what the parser said.
  std::string problem(int argc, char** argv, const std::string& said) const {
    for (const std::string& unknown : {unknown_command(app_, argc, argv), unknown_option(app_)})
      if (!unknown.empty()) return unknown;
    return said;
  }
  std::string help() const {
    for (const CLI::App* s : app_.get_subcommands()) return s->help();
    return app_.help();
  }

  Context context{own_folder(), 0, false};
  std::function<int()> run;

 private:
  CLI::App* add(const char* name, const char* what, std::function<int()> command) {
    CLI::App* sub = app_.add_subcommand(name, what);
    sub->fallthrough();  // --json and --bin may stand behind the command
    sub->callback([this, command = std::move(command)] { run = command; });
    return sub;
  }

  void add_findings() {
    CLI::App* a = add("list", "List findings (key, class, dtype, elements, age, file), or the targets of the build",
                      [this] { return list(context, list_); });
    a->add_option("FOLDER", list_.folders, "Folders to search for .wfz files (default: crashes)");
    a->add_flag("--targets", list_.targets, "List the targets of the build instead");
    a->add_option("--target", list_.target, "Only findings of this target");
    a->add_option("--where", list_.where, "Only findings whose attribute NAME contains TEXT")->type_name("NAME=TEXT");

    a = add("show", "Print the report of a finding, or a case as its target reads it",
            [this] { return show(context, show_); });
    a->add_option("FILE", show_.file, ".wfz, .case or raw case")->required();
    a->add_option("--target", show_.target, "Target of a file that is no .wfz (default: the name of its folder)");

    a = add("replay", "Run findings again: recorded against now. Exit code 0 when every recorded verdict is reproduced",
            [this] { return replay(context, replay_); });
    a->add_option("FILE", replay_.files, ".wfz, .case or raw cases")->required();
    a->add_option("--target", replay_.target,
                  "Target to run them on (default: of the .wfz, or the name of the folder)");
    a->add_flag("--report", replay_.report, "Print the report of what happens now");

    a = add("shrink", "Make a finding smaller while its fault class stays the same",
            [this] { return shrink(context, shrink_); });
    a->add_option("FILE", shrink_.file, ".wfz, .case or raw case")->required();
    a->add_option("--target", shrink_.target, "Target of a file that is no .wfz (default: the name of its folder)");
    a->add_option("--seconds", shrink_.seconds, "Time to spend (default: 5, or 60 where the fault kills the process)")
        ->check(CLI::Validator(seconds_error, "SECONDS"));
    a->add_option("-o,--out", shrink_.out,
                  "Where to write the result (default: FILE itself, or FILE.min.wfz where it is no .wfz)");

    a = add("crosscheck",
            "Run the same cases on another backend's build too: exit code 94 where the two disagree (docs/cuda.md)",
            [this] { return crosscheck(context, crosscheck_); });
    a->add_option("TARGET", crosscheck_.targets, "Targets; controls, bugs or all (default: all)");
    a->add_option("--with", crosscheck_.with, "Folder of the other build's binaries, for instance build/cuda/bin")
        ->required()
        ->type_name("DIR");
    a->add_option("--cases", crosscheck_.folders,
                  "Folders that hold a folder of cases for each target (default: seeds crashes)")
        ->type_name("DIR");

    a = add("keep", "Move a finding from crashes/new/<target>/ to crashes/<target>/ after replaying it",
            [this] { return keep(context, keep_); });
    a->add_option("FILE", keep_.file, "The .wfz")->required();
    a->add_option("--as", keep_.as, "Name of the kept file");
    a->add_option("--crashes", keep_.crashes,
                  "The crashes folder (default: the one that FILE is below, else ./crashes)");
    a->add_flag("--force", keep_.force, "Keep a second finding with the same key, replace a file of the same name");
  }

  void add_cases() {
    CLI::App* a = add(
        "export", "A finding for the kernel's author: a .cu that nvcc builds without WarpFuzz, its tensors for NumPy",
        [this] { return export_case(context, export_); });
    a->add_option("FILE", export_.file, ".wfz, .case or raw case")->required();
    a->add_option("--cu", export_.cu, "Where to write the program");
    a->add_option("--npz", export_.npz, "Where to write inputs, outputs, references and intervals");
    a->add_option("--target", export_.target, "Target to judge by (default: of the .wfz, or the name of the folder)");

    a = add("encode", "A readable case to bytes", [this] { return encode(context, encode_); });
    a->add_option("TARGET", encode_.target)->required();
    a->add_option("FILE", encode_.file, "The .case; - for standard input")->required();
    a->add_option("-o,--out", encode_.out,
                  "Where to write the bytes; - for standard output (default: as hexadecimal text)");

    a = add("decode", "Bytes (or a .wfz) to a readable case", [this] { return decode(context, decode_); });
    a->add_option("TARGET", decode_.target)->required();
    a->add_option("FILE", decode_.file, "The case; - for standard input")->required();
    a->add_option("-o,--out", decode_.out, "Where to write the text (default: standard output)");
  }

  void add_report() {
    CLI::App* a = add("report", "What a campaign found: a page for people, SARIF for code hosts, JUnit XML for CI",
                      [this] { return report(context, report_); });
    a->add_option("--folder", report_.folder,
                  "The campaign's folder, as given to `warpfuzz run` (default: the current one)")
        ->type_name("DIR");
    a->add_option("--html", report_.html,
                  "Where to write the page (default, without any of the three: <folder>/campaign/report.html)")
        ->type_name("FILE");
    a->add_option("--sarif", report_.sarif, "Where to write SARIF 2.1.0")->type_name("FILE");
    a->add_option("--junit", report_.junit, "Where to write JUnit XML")->type_name("FILE");
  }

  void add_measures() {
    CLI::App* a = add("profile", "Where the time of an execution goes", [this] { return profile(context, profile_); });
    a->add_option("TARGET", profile_.target)->required();
    a->add_option("--shapes", profile_.shapes,
                  "Shapes: 128x1025 or rows=128,cols=1025 (default: a list from 1 element to 128x1025, or 65 cubed)");
    add_dtype(a, profile_.dtype, "Element type (default: the target's first)");
    a->add_option("--repeat", profile_.repeat, "Executions of each shape")->check(CLI::Range(1, 1000000));

    a = add("random", "The baseline of pure random cases", [this] { return random(context, random_); });
    a->add_option("TARGET", random_.target)->required();
    a->add_option("--cases", random_.cases, "How many cases at most")
        ->required()
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40));
    a->add_option("--seed", random_.seed, "Seed of the cases")->required();
    add_dtype(a, random_.dtype, "Hold the element type");
    a->add_flag("--all", random_.all, "Go on behind the first finding");
    add_errors();
    add_illusion();
    add_run();
  }

  void add_errors() {
    CLI::App* a =
        add("stats", "The error record: how far outputs are off, by dtype", [this] { return stats(context, stats_); });
    a->add_option("TARGET", stats_.target)->required();
    a->add_option("FILE", stats_.files, "Cases, .wfz files, folders of them, a corpus (default: random cases)");
    add_sweep(a, stats_.cases, stats_.seed, stats_.jobs);
    add_dtype(a, stats_.dtype, "Hold the element type");
    a->add_flag("--by-fill", stats_.by_fill, "A line for each fill of the data tensors");

    a = add("calibrate", "How close a trusted target comes to the bounds of the tolerance table",
            [this] { return calibrate(context, calibrate_); });
    a->add_option("TARGET", calibrate_.target)->required();
    add_sweep(a, calibrate_.cases, calibrate_.seed, calibrate_.jobs);
    add_dtype(a, calibrate_.dtype, "Only this element type");
    a->add_option("--twin", calibrate_.twin,
                  "Its lower-precision twin, or none (default: <op>_twin where there is one)");
    a->add_option("--twin-cases", calibrate_.twin_cases, "How many of the cases the twin runs (default: 500)");
    a->add_flag("--check", calibrate_.check, "Compare with the evidence in the table");
    a->add_flag("--tighten", calibrate_.tighten,
                "Measure with c0 = 2, lam = 0.5, kap = 2 instead of the rows' constants");
    a->add_option("--write", calibrate_.write, "Write the rows' evidence to this file; - for standard output");
  }
  // Which element types there are, the target says.
  static void add_dtype(CLI::App* a, std::string& dtype, const char* what) {
    a->add_option("--dtype", dtype, what)
        ->check(CLI::Validator(
            [](const std::string& text) { return text.empty() ? "expected the name of an element type, got ''" : ""; },
            "NAME"));
  }
  static void add_sweep(CLI::App* a, std::uint64_t& cases, std::uint64_t& seed, int& jobs) {
    a->add_option("--cases", cases, fmt::format("How many random cases (default: {})", cases))
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40));
    a->add_option("--seed", seed, fmt::format("Seed of the random cases (default: {})", seed));
    a->add_option("--jobs", jobs, "Processes of the target at a time (default: 1)")->check(CLI::Range(1, 1024));
  }

  void add_illusion() {
    CLI::App* a = add(
        "illusion", "What the usual checks certify: every kernel of the build's lists by each check, and by a campaign",
        [this] { return illusion(context, illusion_); });
    a->add_option("TARGET", illusion_.targets, "Kernels (default: the correct ones, planted and subtle bugs)");
    add_dtype(a, illusion_.dtype, "Only this element type");
    a->add_option("--seed", illusion_.seed, "Seed of the checks' inputs and of the campaigns")
        ->check(CLI::Range(1u, 4000000000u));
    a->add_option("--runs", illusion_.runs, "Executions of a campaign at most")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 31));
    a->add_option("--adversarial", illusion_.adversarial,
                  "Random cases per correct kernel and dtype for the false-alarm rates; 0: none");
    a->add_option("--jobs", illusion_.jobs, "How many processes at once")->check(CLI::Range(1, 1024));
    a->add_flag("--markdown", illusion_.markdown, "Print the page docs/illusion.md");
  }

  void add_run() {
    CLI::App* a = add(
        "run",
        "A campaign of many targets: workers, corpora, an index of findings; exit code 77 for new keys (docs/campaigns.md)",
        [this] { return warpfuzz::cli::run(context, run_); });
    a->add_option("TARGET", run_.targets, "Targets; controls, bugs or all: those of the build's lists")->required();
    a->add_option("--workers", run_.workers, "Processes at a time (default: 1)")->check(CLI::Range(1, 1024));
    a->add_option("--time", run_.time, "How long: 90, 45m, 12h, 7d; 0: until it is stopped (default: 0)")
        ->transform(time_in_seconds())
        ->type_name("TIME");
    a->add_option("--backend", run_.backend, "cpu or cuda: whose binaries (default: cpu)")
        ->check(CLI::IsMember({"cpu", "cuda"}));
    a->add_option("--folder", run_.folder, "Where corpus/, crashes/new/ and campaign/ are (default: here)")
        ->type_name("DIR");
    a->add_option("--seed", run_.seed, "Seed of the workers' seeds (default: drawn and printed)")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62));
    a->add_option("--slice", run_.slice,
                  "Turn of a target where there are fewer workers than targets (default: 60, less in short runs)")
        ->transform(time_in_seconds())
        ->type_name("TIME");
    a->add_option("--merge-every", run_.merge_every,
                  "How often a corpus is merged and minimised; 0: never (default: 30m)")
        ->transform(time_in_seconds())
        ->type_name("TIME");
    a->add_option("--recycle", run_.recycle, "Age at which a worker is replaced; 0: none (default: 1h)")
        ->transform(time_in_seconds())
        ->type_name("TIME");
    a->add_option("--chores", run_.chores,
                  "Percent of the workers' time for merges, shrinking and error records; 0: none (default: 10)")
        ->check(CLI::Range(0, 90));
    a->add_option("--corpus-limit", run_.corpus_limit, "MiB of a target's corpus (default: 256)")
        ->check(CLI::Range(1, 1 << 20));
    a->add_option("--crashes-limit", run_.crashes_limit, "MiB of a target's folder of new findings (default: 64)")
        ->check(CLI::Range(1, 1 << 20));
    a->add_option("--memory-limit", run_.memory_limit, "MiB of a worker (default: 2048)")
        ->check(CLI::Range(64, 1 << 20));
  }

  CLI::App app_{"warpfuzz: findings of the fuzz targets of this build. Exit codes: docs/exit-codes.md", "warpfuzz"};
  ListOptions list_;
  ShowOptions show_;
  ReplayOptions replay_;
  ShrinkOptions shrink_;
  KeepOptions keep_;
  ExportOptions export_;
  CodeOptions encode_, decode_;
  ProfileOptions profile_;
  ReportOptions report_;
  RandomOptions random_;
  StatsOptions stats_;
  IllusionOptions illusion_;
  CalibrateOptions calibrate_;
  RunOptions run_;
  CrosscheckOptions crosscheck_;
};

int run_command(int argc, char** argv) {
  CommandLine line;
  try {
    line.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    print(line.help());
    return kExitOk;
  } catch (const CLI::ParseError& e) {
    // The options may not have been read up to --json.
    const bool json = std::any_of(argv + 1, argv + argc, [](const char* a) { return std::string_view(a) == "--json"; });
    return failed(json, kExitUsage,
                  fmt::format("{}; see {}", line.problem(argc, argv, e.what()),
                              printed_command({own_folder(), 0, false}, {"--help"})));
  }
  try {
    return line.run();
  } catch (const Failure& f) { return failed(line.context.json, f.code, f.what()); } catch (const std::exception& e) {
    return failed(line.context.json, kExitInternal, fmt::format("internal error: {}; please report it", e.what()));
  }
}

}  // namespace
}  // namespace warpfuzz::cli

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a target that dies, or a reader that goes away, is an error to report
  const int code = warpfuzz::cli::run_command(argc, argv);
  // Buffered output may fail as late as now: a full disk must not look like success.
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
    warpfuzz::cli::note("cannot write to standard output");
    return code == warpfuzz::kExitOk ? static_cast<int>(warpfuzz::kExitCannotWrite) : code;
  }
  return code;
}
