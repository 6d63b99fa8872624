// expect: unsafe
// why: (deadlock) inventory_take returns on the error path without unlocking; the next thread that wants the mutex waits for ever
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>

#define PARTS 4

struct inventory {
    mtx_t lock;
    int stock[PARTS];
};

static struct inventory inv;

static int inventory_take(struct inventory *v, int part, int amount)
{
    if (part < 0 || part >= PARTS)
        return -1;
    mtx_lock(&v->lock);
    if (v->stock[part] < amount) {
        fprintf(stderr, "part %d: not enough\n", part);
        return -1;
    }
    v->stock[part] -= amount;
    mtx_unlock(&v->lock);
    return 0;
}

static int assemble(void *arg)
{
    int amount = *(int *)arg, built = 0;
    for (int part = 0; part < PARTS; part++)
        if (inventory_take(&inv, part, amount) == 0)
            built++;
    return built;
}

int main(void)
{
    thrd_t a, b;
    int first = 2, second = 3, got_a, got_b;

    if (mtx_init(&inv.lock, mtx_plain) != thrd_success)
        return EXIT_FAILURE;
    for (int i = 0; i < PARTS; i++)
        inv.stock[i] = 4;
    if (thrd_create(&a, assemble, &first) != thrd_success)
        return EXIT_FAILURE;
    if (thrd_create(&b, assemble, &second) != thrd_success)
        return EXIT_FAILURE;
    thrd_join(a, &got_a);
    thrd_join(b, &got_b);
    printf("%d parts\n", got_a + got_b);
    mtx_destroy(&inv.lock);
    return EXIT_SUCCESS;
}
