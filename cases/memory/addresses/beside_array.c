// expect: safe
// why: addresses are stored by an index that stays in its array; what lies beside the array is a number

#include <assert.h>
#include <pthread.h>

static int x = 1, y = 2;

static struct {
    pthread_mutex_t lock;
    int *slots[4];
    int count;
} table;

struct record {
    int *fields[2];
    int count;
};

static void *put(void *arg) {
    int i = *(int *)arg;
    pthread_mutex_lock(&table.lock);
    table.slots[i % 4] = i == 1 ? &x : &y;
    table.count++;
    pthread_mutex_unlock(&table.lock);
    return 0;
}

static void add(struct record *r, int *what) {
    if (r->count < 2)
        r->fields[r->count++] = what;
}

int main(void) {
    pthread_t t;
    int i = 1;
    struct record records[2] = { { { 0 }, 0 }, { { 0 }, 0 } };
    pthread_create(&t, 0, put, &i);
    for (int k = 0; k < 3; k++)
        add(&records[k % 2], k == 0 ? &x : &y);
    pthread_join(t, 0);
    assert(table.count == 1 && *table.slots[1] == 1);
    assert(records[0].count == 2 && records[1].count == 1 && *records[0].fields[1] == 2);
    return 0;
}
