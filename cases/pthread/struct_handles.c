// expect: safe
// counts[explicit.por=dpor]: states <= [explicit.por=source]
// counts[explicit.por=source]: states < [explicit.por=none]
#include <assert.h>
#include <pthread.h>

struct job { pthread_t thread; int in, out; } jobs[2];
void *work(void *arg) { struct job *job = arg; job->out = job->in * 2; return 0; }
int main(void) {
    for (int i = 0; i < 2; i++) {
        jobs[i].in = i + 1;
        pthread_create(&jobs[i].thread, 0, work, &jobs[i]);
    }
    for (struct job *job = jobs; job < jobs + 2; job++)
        pthread_join(job->thread, 0);
    assert(jobs[0].out == 2 && jobs[1].out == 4);
    return 0;
}
