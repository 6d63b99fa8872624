// expect: unsafe
// property: reach
// engines: portfolio
// why: the array is filled while another thread looks at it twice
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int *numbers;
int length;

void *look(void *arg)
{
    int before = numbers[0];
    if (numbers[0] != before)
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
    pthread_create(&thread, 0, look, 0);
    for (int i = 0; i < length; i++)
        numbers[i] = __VERIFIER_nondet_int();
    pthread_join(thread, 0);
    return 0;
}
