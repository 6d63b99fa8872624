// expect: safe
// property: memsafety
// engines: explicit
// why: the padding of the structures matters to nobody, also where lost memory is asked about
#include <pthread.h>
#include <stdlib.h>

struct job {
    int *sum;
    int id;
};

static void *work(void *arg)
{
    struct job *job = arg;
    *job->sum = job->id;
    return NULL;
}

int main(void)
{
    int *sum = malloc(sizeof *sum);
    struct job job;
    pthread_t t;

    if (sum == NULL)
        return 1;
    job = (struct job){ sum, 7 };
    if (pthread_create(&t, NULL, work, &job) != 0)
        abort();
    pthread_join(t, NULL);
    free(sum);
    return 0;
}
