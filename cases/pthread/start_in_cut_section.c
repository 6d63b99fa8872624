// expect[race]: unsafe at 15
// engines: bmc
// why: a bound that cuts the loop inside of the section must not let its thread run; where the section ends, both threads write
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int x;
int total;

void *writer(void *unused)
{
    (void)unused;
    x = 1;
    return 0;
}

int main(void)
{
    pthread_t first, second;
    int n = __VERIFIER_nondet_int();
    if (n < 3)
        return 0;
    pthread_create(&first, 0, writer, 0);
    __VERIFIER_atomic_begin();
    pthread_create(&second, 0, writer, 0);
    for (int i = 0; i < n; i++)
        total += i;
    __VERIFIER_atomic_end();
    return 0;
}
