// What the samples for the CPU tell the test: where the module's variables are. A constant, so that no function is added.
#pragma once
#define WF_SAMPLE(NAME) \
  extern const warpfuzz::cuda::ModuleSymbols NAME; \
  const warpfuzz::cuda::ModuleSymbols NAME = {&wf_device::wf_state, &wf_device::wf_slot_base, wf_device::wf_counts}
