// expect 6: use of undeclared identifier 'missing'
#define WRAPPED(...) __VA_ARGS__
WRAPPED(
    void run(int* out) {
      out[0] = 1;
      out[1] = missing;
      out[2] = 3;
    })
