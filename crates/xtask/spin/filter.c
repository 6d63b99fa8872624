// Peterson's filter lock for three threads that enter for ever.
#include <assert.h>
#include <pthread.h>

#define N 3

unsigned char level[N], victim[N], inside;

void *worker(void *arg) {
    unsigned char me = (unsigned char)(unsigned long)arg;
    while (1) {
        for (unsigned char l = 1; l < N; l++) {
            level[me] = l;
            victim[l] = me;
            for (unsigned char k = 0; k < N; k++) {
                if (k == me) continue;
                while (level[k] >= l && victim[l] == me) {
                }
            }
        }
        inside++;
        assert(inside == 1);
        inside--;
        level[me] = 0;
    }
}

int main(void) {
    pthread_t t;
    for (unsigned long i = 0; i < N; i++) pthread_create(&t, 0, worker, (void *)i);
    pthread_exit(0);
}
