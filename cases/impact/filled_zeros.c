// expect: unsafe
// property: reach
// engines: impact
// why: the array held zeros before it was filled, which is not anything
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int *numbers;
int length;

void *look(void *arg)
{
    if (numbers[0] != 0)
        reach_error();
    return 0;
}

int main(void)
{
    pthread_t thread;
    length = __VERIFIER_nondet_int();
    if (length < 1 || length > 1000)
        return 0;
    numbers = calloc((size_t)length, sizeof(int));
    if (!numbers)
        return 0;
    for (int i = 0; i < length; i++)
        numbers[i] = __VERIFIER_nondet_int();
    pthread_create(&thread, 0, look, 0);
    pthread_join(thread, 0);
    return 0;
}
