/* Before the compiler's own <stdatomic.h>, where a program says atomic_init. gcc makes a relaxed store of it, which is an atomic access;
 * C says that initialising is none, so that whoever accesses the object at the same time races with it (C11 7.17.2.1). */
#include_next <stdatomic.h>
/* As clang's does. */
#include <stdint.h>
#undef atomic_init
#define atomic_init(object, value) __c11_atomic_init((object), (value))
