// expect: unsafe
// why: (race) a hand-made once: the flag is tested and set without a lock, and a second thread may use the table half built
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define ENTRIES 8

static int initialised;
static unsigned table[ENTRIES];

static void table_init(void)
{
    if (initialised)
        return;
    initialised = 1;
    for (unsigned i = 0; i < ENTRIES; i++) {
        unsigned crc = i;
        for (int k = 0; k < 3; k++)
            crc = (crc & 1) ? (crc >> 1) ^ 0xB1u : crc >> 1;
        table[i] = crc;
    }
}

static unsigned checksum(const char *s)
{
    unsigned c = 0;
    table_init();
    while (*s != '\0')
        c = (c << 1) ^ table[*s++ & (ENTRIES - 1)];
    return c;
}

static void *worker(void *arg)
{
    printf("%s: %x\n", (const char *)arg, checksum(arg));
    return NULL;
}

int main(void)
{
    pthread_t a, b;

    if (pthread_create(&a, NULL, worker, "abc") != 0 || pthread_create(&b, NULL, worker, "xyz") != 0)
        exit(EXIT_FAILURE);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return EXIT_SUCCESS;
}
