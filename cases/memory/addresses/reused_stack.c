// expect: unsafe at 17
// engines: explicit
// why: the variable of the second call may lie where that of the first one lay
#include <assert.h>
#include <stdint.h>

uintptr_t seen;
int is_new(void) {
    int local = 0;
    uintptr_t here = (uintptr_t)&local;
    int differs = here != seen;
    seen = here;
    return differs;
}
int main(void) {
    is_new();
    assert(is_new());
    return 0;
}
