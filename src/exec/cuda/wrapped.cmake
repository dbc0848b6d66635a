# The CUDA runtime's functions that observe.cc stands before, by the linker's --wrap.
set(WARPFUZZ_CUDA_WRAPPED
  cudaLaunchKernel cudaGetLastError cudaPeekAtLastError cudaMalloc cudaFree cudaMallocAsync cudaFreeAsync
  cudaDeviceSynchronize cudaStreamSynchronize cudaEventSynchronize cudaMemcpy cudaMemset cudaMemcpyToSymbol cudaMemcpyFromSymbol cudaStreamCreate
  __cudaRegisterFunction __cudaRegisterVar)
