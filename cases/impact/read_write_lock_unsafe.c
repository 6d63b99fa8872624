// expect: unsafe at 49
// property: reach,assert
// engines: explicit
// why: readers do not wait for a writer that is at work
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int writing, readers;
int value, seen;

void begin_write(void)
{
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(!writing && readers == 0);
    writing = 1;
    __VERIFIER_atomic_end();
}

void begin_read(void)
{
    __VERIFIER_atomic_begin();
    readers = readers + 1;
    __VERIFIER_atomic_end();
}

void end_read(void)
{
    __VERIFIER_atomic_begin();
    readers = readers - 1;
    __VERIFIER_atomic_end();
}

void *writer(void *arg)
{
    begin_write();
    value = 3;
    writing = 0;
    return 0;
}

void *reader(void *arg)
{
    begin_read();
    int own = value;
    seen = own;
    assert(own == value);
    end_read();
    return 0;
}

int main(void)
{
    pthread_t threads[4];
    pthread_create(&threads[0], 0, writer, 0);
    pthread_create(&threads[1], 0, reader, 0);
    pthread_create(&threads[2], 0, writer, 0);
    pthread_create(&threads[3], 0, reader, 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
    return 0;
}
