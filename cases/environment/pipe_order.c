// expect: safe
// property: assert
// expect[race]: safe
// why: what is read out of a pipe was written before: whoever has read the byte sees what the writer did before it
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

int ends[2];
int done;

void *worker(void *arg)
{
    done = 1;
    write(ends[1], "x", 1);
    return 0;
}

int main(void)
{
    pthread_t t;
    char got[8];
    if (pipe(ends))
        return 0;
    pthread_create(&t, 0, worker, 0);
    if (read(ends[0], got, sizeof got) == 1)
        assert(done == 1);
    pthread_join(t, 0);
    return 0;
}
