// expect: safe
// options: --model riscv
// engines: bmc
// why: names of operands, a branch that compares, and fences by what they keep in order
#include <assert.h>
#include <pthread.h>

static int word_of_lock, sum;

static int compare_and_swap(int *at, int expected, int desired)
{
    int old, failed;
    __asm__ volatile("1: lr.w %[old], %[at]\n"
                     "   bne %[old], %[expected], 2f\n"
                     "   sc.w %[failed], %[desired], %[at]\n"
                     "   bnez %[failed], 1b\n"
                     "   fence r, rw\n"
                     "2:"
                     : [old] "=&r"(old), [failed] "=&r"(failed), [at] "+A"(*at)
                     : [expected] "r"((long)expected), [desired] "r"(desired)
                     : "memory");
    return old == expected;
}

static void *worker(void *unused)
{
    while (!compare_and_swap(&word_of_lock, 0, 1))
        ;
    sum = sum + 1;
    __asm__ volatile("fence rw, w" ::: "memory");
    __asm__ volatile("sw %1, 0(%0)" : : "r"(&word_of_lock), "r"(0) : "memory");
    return unused;
}

int main(void)
{
    pthread_t one;
    pthread_create(&one, 0, worker, 0);
    worker(0);
    pthread_join(one, 0);
    assert(sum == 2);
    return 0;
}
