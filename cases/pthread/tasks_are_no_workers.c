// expect: safe
// why: the worker calls a task by a pointer of a type that fits the worker itself, which is named only where the thread is created
#include <assert.h>
#include <pthread.h>

struct job {
    void *(*run)(void *);
    int value;
};

static void *twice(void *arg)
{
    struct job *job = arg;
    job->value *= 2;
    return NULL;
}

static void *worker(void *arg)
{
    struct job *jobs = arg;
    for (int i = 0; i < 2; i++)
        jobs[i].run(&jobs[i]);
    return NULL;
}

int main(void)
{
    struct job jobs[2] = { { twice, 1 }, { twice, 2 } };
    pthread_t t;
    pthread_create(&t, NULL, worker, jobs);
    pthread_join(t, NULL);
    assert(jobs[0].value == 2 && jobs[1].value == 4);
    return 0;
}
