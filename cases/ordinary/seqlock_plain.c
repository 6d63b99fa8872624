// expect: unsafe
// why: (race) the data under the sequence counter are plain: the reader reads them while the writer writes, which C11 forbids whatever is thrown away
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct sample {
    double temperature;
    double humidity;
};

static atomic_uint sequence;
static struct sample latest;

static void publish(const struct sample *s)
{
    atomic_fetch_add(&sequence, 1);
    latest = *s;
    atomic_fetch_add(&sequence, 1);
}

static struct sample read_latest(void)
{
    struct sample copy;
    unsigned before, after;

    do {
        before = atomic_load(&sequence);
        copy = latest;
        after = atomic_load(&sequence);
    } while (before != after || (before & 1));
    return copy;
}

static void *sensor(void *arg)
{
    struct sample s = { 20.0, 0.4 };
    (void)arg;
    for (int i = 0; i < 3; i++) {
        s.temperature += 0.5;
        publish(&s);
    }
    return NULL;
}

static void *display(void *arg)
{
    (void)arg;
    for (int i = 0; i < 2; i++) {
        struct sample s = read_latest();
        printf("%.1f C, %.0f %%\n", s.temperature, 100 * s.humidity);
    }
    return NULL;
}

int main(void)
{
    pthread_t s, d;

    if (pthread_create(&s, NULL, sensor, NULL) != 0 || pthread_create(&d, NULL, display, NULL) != 0)
        exit(EXIT_FAILURE);
    pthread_join(s, NULL);
    pthread_join(d, NULL);
    return 0;
}
