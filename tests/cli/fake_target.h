// What the two files of the fake target share.
#pragma once

#include <string>

// Writes the finding of a case of one row that fails.
void save_finding(const std::string& path, int cols);

// A campaign as libFuzzer runs it: what the exit code and standard error tell. `mode`: what the target does wrong.
int fake_campaign(const std::string& mode, int argc, char** argv);
