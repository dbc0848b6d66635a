// How the instructions behave that libdevice leaves to the hardware.
#pragma once

struct InstructionModel {
  bool ftz = false;  // the code is compiled with -ftz=true
  // Approximations: 0 rounded correctly; +1, -1 everywhere as far above or below as a GPU's are at their worst input.
  int exponentials = 0;  // ex2, lg2
  int roots = 0;         // rcp, rsqrt, sqrt
};
extern InstructionModel g_model;  // constant while functions run
