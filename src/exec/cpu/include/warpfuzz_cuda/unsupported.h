// What the CPU executor cannot run: declared, so that a use is one error with its name and place.
#pragma once
#include "warpfuzz_cuda/base.h"

#define WARPFUZZ_UNSUPPORTED(what) __attribute__((unavailable("warpfuzz: " what " not supported on the CPU executor")))

// ---- textures and surfaces
#define WARPFUZZ_TEXTURE(name)           \
  template <class T = float, class... A> \
  T name(A&&...) WARPFUZZ_UNSUPPORTED("texture fetches are")
#define WARPFUZZ_SURFACE(name)           \
  template <class T = float, class... A> \
  T name(A&&...) WARPFUZZ_UNSUPPORTED("surface accesses are")
WARPFUZZ_TEXTURE(tex1Dfetch);
WARPFUZZ_TEXTURE(tex1D);
WARPFUZZ_TEXTURE(tex2D);
WARPFUZZ_TEXTURE(tex3D);
WARPFUZZ_TEXTURE(tex1DLod);
WARPFUZZ_TEXTURE(tex2DLod);
WARPFUZZ_TEXTURE(tex3DLod);
WARPFUZZ_TEXTURE(tex1DGrad);
WARPFUZZ_TEXTURE(tex2DGrad);
WARPFUZZ_TEXTURE(tex3DGrad);
WARPFUZZ_TEXTURE(tex1DLayered);
WARPFUZZ_TEXTURE(tex2DLayered);
WARPFUZZ_TEXTURE(texCubemap);
WARPFUZZ_TEXTURE(tex2Dgather);
WARPFUZZ_SURFACE(surf1Dread);
WARPFUZZ_SURFACE(surf2Dread);
WARPFUZZ_SURFACE(surf3Dread);
WARPFUZZ_SURFACE(surf1Dwrite);
WARPFUZZ_SURFACE(surf2Dwrite);
WARPFUZZ_SURFACE(surf3Dwrite);
WARPFUZZ_SURFACE(surf2DLayeredread);
WARPFUZZ_SURFACE(surf2DLayeredwrite);
template <class T, int D = 1, int mode = 0>
struct WARPFUZZ_UNSUPPORTED("texture references are") texture {};
template <class T, int D = 1>
struct WARPFUZZ_UNSUPPORTED("surface references are") surface {};

// ---- intrinsics of asynchronous copies (with <cuda_pipeline.h>), of clusters and of matrix cores
template <class... A>
void __pipeline_memcpy_async(A&&...) WARPFUZZ_UNSUPPORTED("asynchronous copies to shared memory (cp.async) are");
template <class... A>
void __pipeline_commit(A&&...) WARPFUZZ_UNSUPPORTED("asynchronous copies to shared memory (cp.async) are");
template <class... A>
void __pipeline_wait_prior(A&&...) WARPFUZZ_UNSUPPORTED("asynchronous copies to shared memory (cp.async) are");
#define WARPFUZZ_CLUSTER(name) \
  template <class... A>        \
  dim3 name(A&&...) WARPFUZZ_UNSUPPORTED("thread block clusters are")
WARPFUZZ_CLUSTER(__cluster_barrier_arrive);
WARPFUZZ_CLUSTER(__cluster_barrier_arrive_relaxed);
WARPFUZZ_CLUSTER(__cluster_barrier_wait);
WARPFUZZ_CLUSTER(__cluster_map_shared_rank);
WARPFUZZ_CLUSTER(__cluster_map_shared_multicast);
WARPFUZZ_CLUSTER(__cluster_query_shared_rank);
WARPFUZZ_CLUSTER(__clusterDim);
WARPFUZZ_CLUSTER(__clusterIdx);
WARPFUZZ_CLUSTER(__clusterDimIsSpecified);
WARPFUZZ_CLUSTER(__clusterRelativeBlockIdx);
WARPFUZZ_CLUSTER(__clusterRelativeBlockRank);
WARPFUZZ_CLUSTER(__clusterSizeInBlocks);
WARPFUZZ_CLUSTER(__clusterGridDimInClusters);
WARPFUZZ_CLUSTER(__threadfence_cluster);
template <class... A>
void __barrier_sync_count(A&&...) WARPFUZZ_UNSUPPORTED("__barrier_sync_count: barriers of a part of the block are");

// ---- <curand_kernel.h>: all generators but MTGP32, whose header is kept out (cuda_on_cpu.h); a use of it ends at the linker
struct curandStateMtgp32;
typedef struct curandStateMtgp32 curandStateMtgp32_t;
unsigned int curand(curandStateMtgp32_t*);

// ---- gone since sm_70
#define WARPFUZZ_GONE(name, instead) \
  template <class... A>              \
  int name(A&&...)                   \
      __attribute__((unavailable("warpfuzz: " #name " does not exist on sm_70 and later; use " #instead)))
WARPFUZZ_GONE(__any, __any_sync);
WARPFUZZ_GONE(__all, __all_sync);
WARPFUZZ_GONE(__ballot, __ballot_sync);
WARPFUZZ_GONE(__shfl, __shfl_sync);
WARPFUZZ_GONE(__shfl_up, __shfl_up_sync);
WARPFUZZ_GONE(__shfl_down, __shfl_down_sync);
WARPFUZZ_GONE(__shfl_xor, __shfl_xor_sync);

// ---- runtime calls. Redeclared: the attribute joins NVIDIA's declaration. Calls that are in neither list end at the linker.
#define WARPFUZZ_NO_CALL(name, what) extern "C" decltype(::name) name WARPFUZZ_UNSUPPORTED(#name ": " what)
// These have templates beside them; cuda_on_cpu.h has hidden NVIDIA's under another name.
template <class... A>
cudaError_t cudaLaunchCooperativeKernel(A&&...)
    WARPFUZZ_UNSUPPORTED("cudaLaunchCooperativeKernel: cooperative launches are");
template <class... A>
cudaError_t cudaOccupancyMaxActiveClusters(A&&...)
    WARPFUZZ_UNSUPPORTED("cudaOccupancyMaxActiveClusters: thread block clusters are");
template <class... A>
cudaError_t cudaOccupancyMaxPotentialClusterSize(A&&...)
    WARPFUZZ_UNSUPPORTED("cudaOccupancyMaxPotentialClusterSize: thread block clusters are");
WARPFUZZ_NO_CALL(cudaStreamBeginCapture, "CUDA graphs are");
WARPFUZZ_NO_CALL(cudaStreamEndCapture, "CUDA graphs are");
WARPFUZZ_NO_CALL(cudaGraphCreate, "CUDA graphs are");
WARPFUZZ_NO_CALL(cudaGraphLaunch, "CUDA graphs are");
WARPFUZZ_NO_CALL(cudaGraphAddMemcpyNode, "CUDA graphs are");
WARPFUZZ_NO_CALL(cudaGraphAddMemsetNode, "CUDA graphs are");
WARPFUZZ_NO_CALL(cudaGraphAddHostNode, "CUDA graphs are");
WARPFUZZ_NO_CALL(cudaGraphAddEmptyNode, "CUDA graphs are");
WARPFUZZ_NO_CALL(cudaGraphDestroy, "CUDA graphs are");
WARPFUZZ_NO_CALL(cudaGraphExecDestroy, "CUDA graphs are");
WARPFUZZ_NO_CALL(cudaCreateTextureObject, "textures are");
WARPFUZZ_NO_CALL(cudaDestroyTextureObject, "textures are");
WARPFUZZ_NO_CALL(cudaCreateSurfaceObject, "surfaces are");
WARPFUZZ_NO_CALL(cudaDestroySurfaceObject, "surfaces are");
WARPFUZZ_NO_CALL(cudaMallocArray, "CUDA arrays are");
WARPFUZZ_NO_CALL(cudaMalloc3DArray, "CUDA arrays are");
WARPFUZZ_NO_CALL(cudaFreeArray, "CUDA arrays are");
WARPFUZZ_NO_CALL(cudaMemcpyToArray, "CUDA arrays are");
WARPFUZZ_NO_CALL(cudaMemcpy2DToArray, "CUDA arrays are");
WARPFUZZ_NO_CALL(cudaMemcpyFromArray, "CUDA arrays are");
WARPFUZZ_NO_CALL(cudaMemcpy2DFromArray, "CUDA arrays are");
WARPFUZZ_NO_CALL(cudaMallocMipmappedArray, "CUDA arrays are");
WARPFUZZ_NO_CALL(cudaMemcpy3D, "three-dimensional copies are");
WARPFUZZ_NO_CALL(cudaMemcpy3DAsync, "three-dimensional copies are");
WARPFUZZ_NO_CALL(cudaMalloc3D, "three-dimensional allocations are");
WARPFUZZ_NO_CALL(cudaMemPoolCreate, "memory pools are");
WARPFUZZ_NO_CALL(cudaDeviceGetDefaultMemPool, "memory pools are");
WARPFUZZ_NO_CALL(cudaMemcpyPeer, "several devices are");
WARPFUZZ_NO_CALL(cudaMemcpyPeerAsync, "several devices are");
WARPFUZZ_NO_CALL(cudaDeviceEnablePeerAccess, "several devices are");
WARPFUZZ_NO_CALL(cudaIpcGetMemHandle, "sharing memory between processes is");
WARPFUZZ_NO_CALL(cudaIpcOpenMemHandle, "sharing memory between processes is");
WARPFUZZ_NO_CALL(cudaImportExternalMemory, "external memory is");
