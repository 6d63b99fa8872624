// expect: unsafe
// property: reach
// engines: impact
// why: who looks before and after the array is filled sees two numbers
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int *numbers;
int length;

void *look(void *arg)
{
    if (numbers[0] != (int)(long)arg)
        reach_error();
    return 0;
}

int main(void)
{
    pthread_t thread;
    length = __VERIFIER_nondet_int();
    if (length < 1 || length > 1000)
        return 0;
    numbers = malloc((size_t)length * sizeof(int));
    if (!numbers)
        return 0;
    int before = numbers[0];
    for (int i = 0; i < length; i++)
        numbers[i] = __VERIFIER_nondet_int();
    pthread_create(&thread, 0, look, (void *)(long)before);
    pthread_join(thread, 0);
    return 0;
}
