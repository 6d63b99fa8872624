// expect: unsafe
// why: (race) strtok keeps its place in one static variable: two workers that parse at the same time disturb each other (C11 7.24.5.8, POSIX: not thread-safe)
// TSan does not see inside the C library; a run with long lines loses fields
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORKERS 2

struct record {
    char line[32];
    int fields;
};

static void *parse(void *arg)
{
    struct record *r = arg;
    for (char *f = strtok(r->line, " "); f != NULL; f = strtok(NULL, " "))
        r->fields++;
    return NULL;
}

int main(void)
{
    struct record records[WORKERS] = { { "GET /index.html HTTP/1.1", 0 }, { "PUT /a HTTP/1.0", 0 } };
    pthread_t t[WORKERS];

    for (int i = 0; i < WORKERS; i++)
        if (pthread_create(&t[i], NULL, parse, &records[i]) != 0)
            exit(EXIT_FAILURE);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < WORKERS; i++)
        printf("%d fields\n", records[i].fields);
    return EXIT_SUCCESS;
}
