// expect: safe
// Two reads of the kind that kernels make, with fences of the compiler, in one expression: nothing is between their parts.
#include <assert.h>
#include <stdatomic.h>
#define READ_ONCE(x) ({ atomic_signal_fence(memory_order_seq_cst); \
        __typeof__(x) _v = atomic_load_explicit((volatile _Atomic __typeof__(x) *)&x, memory_order_consume); _v; })
unsigned long nesting;
unsigned number;
int main(void) {
    unsigned long both = READ_ONCE(nesting) | (1 << (READ_ONCE(number) & 1));
    assert(both == 1);
    return 0;
}
