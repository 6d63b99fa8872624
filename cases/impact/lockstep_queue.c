// expect: safe
// property: reach
// options: --data-model ilp32
// engines: impact
// knobs: impact.order=lockstep impact.dependence=outcomes impact.invariants=guessed
//
// A baker puts loaves on a shelf, as long as there is room and as often as he likes, and a seller takes them away in the same order. Who puts and who takes commute while the shelf is not empty, so
// each loaf is sold as soon as it is there, and nothing has to be known of those in between.
typedef unsigned long pthread_t;
int pthread_create(pthread_t *thread, const void *attributes, void *(*start)(void *), void *arg);
int pthread_join(pthread_t thread, void **result);
void *malloc(unsigned int size);
void abort(void);
void reach_error(void);
int __VERIFIER_nondet_int(void);
_Bool __VERIFIER_nondet_bool(void);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

enum { LOAF = 7 };
int *shelf;
int room, baked, sold, last = LOAF;

void assume(int holds)
{
    if (!holds)
        abort();
}

void *baker(void *arg)
{
    while (__VERIFIER_nondet_bool()) {
        __VERIFIER_atomic_begin();
        assume(baked < room);
        shelf[baked] = LOAF;
        baked++;
        __VERIFIER_atomic_end();
    }
    return 0;
}

void *seller(void *arg)
{
    while (__VERIFIER_nondet_bool()) {
        __VERIFIER_atomic_begin();
        assume(sold < baked);
        last = shelf[sold];
        sold++;
        __VERIFIER_atomic_end();
    }
    return 0;
}

int main(void)
{
    pthread_t first, second;
    room = __VERIFIER_nondet_int();
    if (room < 0 || room > 1000)
        return 0;
    shelf = malloc(sizeof(int) * (unsigned int)room);
    if (shelf == 0)
        return 0;
    pthread_create(&first, 0, baker, 0);
    pthread_create(&second, 0, seller, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    if (last != LOAF)
        reach_error();
    return 0;
}
