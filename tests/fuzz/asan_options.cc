// Defaults of the sanitizer for the fuzz targets: the fuzzer's own library mixes the allocation functions
// that base/memory_meter.cc replaces with the C library's.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "alloc_dealloc_mismatch=0"; }
