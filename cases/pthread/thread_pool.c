// expect: safe
// expect[race]: safe
// why: whoever waits looks again, and closing wakes all workers
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#define N_JOBS 3
struct job { int input; int output; };
static struct job jobs[N_JOBS];
static int next_job, n_done;
static bool closing;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER, idle = PTHREAD_COND_INITIALIZER;

static void *worker(void *unused)
{
    pthread_mutex_lock(&lock);
    for (;;) {
        while (next_job == N_JOBS && !closing)
            pthread_cond_wait(&work, &lock);
        if (next_job == N_JOBS)
            break;
        struct job *job = &jobs[next_job++];
        pthread_mutex_unlock(&lock);
        job->output = job->input * 2;
        pthread_mutex_lock(&lock);
        if (++n_done == N_JOBS)
            pthread_cond_signal(&idle);
    }
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < N_JOBS; i++)
        jobs[i].input = i;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, worker, 0);
    pthread_mutex_lock(&lock);
    while (n_done < N_JOBS)
        pthread_cond_wait(&idle, &lock);
    for (int i = 0; i < N_JOBS; i++)
        assert(jobs[i].output == 2 * i);
    closing = true;
    pthread_cond_broadcast(&work);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return 0;
}
