// expect: unsafe
// why: the time is set without the lock
#include <time.h>
#include <pthread.h>
#include <stdbool.h>
#include <assert.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static bool armed, fired;
static struct timespec when;

static void *timer(void *arg) {
  pthread_mutex_lock(&m);
  while (!fired) {
    struct timespec now;
    if (!armed) { pthread_cond_wait(&c, &m); continue; }
    clock_gettime(CLOCK_REALTIME, &now);
    if (now.tv_sec >= when.tv_sec) fired = true;
    else pthread_cond_timedwait(&c, &m, &when);
  }
  pthread_mutex_unlock(&m);
  return arg;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, timer, NULL);
  pthread_mutex_lock(&m);
  armed = true;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
  clock_gettime(CLOCK_REALTIME, &when);
  pthread_join(t, NULL);
  assert(fired);
}
