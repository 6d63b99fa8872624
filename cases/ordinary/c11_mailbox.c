// expect: safe
// why: C11 threads: a mailbox of one message with a condition for each side
#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <threads.h>

#define MESSAGES 3

struct mailbox {
    mtx_t lock;
    cnd_t changed;
    bool full;
    int message;
};

static int mailbox_init(struct mailbox *m)
{
    m->full = false;
    if (mtx_init(&m->lock, mtx_plain) != thrd_success)
        return -1;
    if (cnd_init(&m->changed) != thrd_success) {
        mtx_destroy(&m->lock);
        return -1;
    }
    return 0;
}

static void mailbox_send(struct mailbox *m, int message)
{
    mtx_lock(&m->lock);
    while (m->full)
        cnd_wait(&m->changed, &m->lock);
    m->message = message;
    m->full = true;
    cnd_broadcast(&m->changed);
    mtx_unlock(&m->lock);
}

static int mailbox_receive(struct mailbox *m)
{
    mtx_lock(&m->lock);
    while (!m->full)
        cnd_wait(&m->changed, &m->lock);
    int message = m->message;
    m->full = false;
    cnd_broadcast(&m->changed);
    mtx_unlock(&m->lock);
    return message;
}

static int sender(void *arg)
{
    struct mailbox *m = arg;
    for (int i = 1; i <= MESSAGES; i++)
        mailbox_send(m, i);
    return 0;
}

static int receiver(void *arg)
{
    struct mailbox *m = arg;
    int sum = 0;
    for (int i = 0; i < MESSAGES; i++)
        sum += mailbox_receive(m);
    return sum;
}

int main(void)
{
    struct mailbox box;
    thrd_t s, r;
    int sum;

    if (mailbox_init(&box) != 0)
        return EXIT_FAILURE;
    if (thrd_create(&s, sender, &box) != thrd_success || thrd_create(&r, receiver, &box) != thrd_success)
        abort();
    thrd_join(s, NULL);
    thrd_join(r, &sum);
    assert(sum == 1 + 2 + 3);
    cnd_destroy(&box.changed);
    mtx_destroy(&box.lock);
    return EXIT_SUCCESS;
}
