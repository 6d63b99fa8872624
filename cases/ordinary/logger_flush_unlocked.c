// expect: unsafe
// why: (race) log_pending() reads the number of buffered bytes without the lock that writers and the flusher hold
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUFFER 64

static struct {
    pthread_mutex_t lock;
    pthread_cond_t more;
    char data[BUFFER];
    size_t used;
    int closing;
} logbuf = { .lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER };

static void log_write(const char *text)
{
    size_t n = strlen(text);

    pthread_mutex_lock(&logbuf.lock);
    if (logbuf.used + n <= BUFFER) {
        memcpy(logbuf.data + logbuf.used, text, n);
        logbuf.used += n;
        pthread_cond_signal(&logbuf.more);
    }
    pthread_mutex_unlock(&logbuf.lock);
}

static size_t log_pending(void)
{
    return logbuf.used;
}

static void *flusher(void *arg)
{
    FILE *out = arg;
    int done = 0;

    while (!done) {
        pthread_mutex_lock(&logbuf.lock);
        while (logbuf.used == 0 && !logbuf.closing)
            pthread_cond_wait(&logbuf.more, &logbuf.lock);
        fwrite(logbuf.data, 1, logbuf.used, out);
        logbuf.used = 0;
        done = logbuf.closing;
        pthread_mutex_unlock(&logbuf.lock);
    }
    return NULL;
}

static void *worker(void *arg)
{
    (void)arg;
    log_write("hello\n");
    if (log_pending() > BUFFER / 2)
        log_write("buffer is half full\n");
    log_write("bye\n");
    return NULL;
}

int main(void)
{
    pthread_t f, w;

    if (pthread_create(&f, NULL, flusher, stdout) != 0)
        return EXIT_FAILURE;
    if (pthread_create(&w, NULL, worker, NULL) != 0)
        return EXIT_FAILURE;
    pthread_join(w, NULL);
    pthread_mutex_lock(&logbuf.lock);
    logbuf.closing = 1;
    pthread_cond_signal(&logbuf.more);
    pthread_mutex_unlock(&logbuf.lock);
    pthread_join(f, NULL);
    return EXIT_SUCCESS;
}
