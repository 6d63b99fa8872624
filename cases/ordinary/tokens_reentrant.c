// expect: safe
// why: each worker cuts its own copy of a line with strtok_r
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define WORKERS 2
#define MAX_FIELDS 4

struct record {
    const char *line;
    char *copy;
    char *fields[MAX_FIELDS];
    int count;
};

static void *parse(void *arg)
{
    struct record *r = arg;
    char *save = NULL;

    r->copy = strdup(r->line);
    if (r->copy == NULL)
        abort();
    for (char *f = strtok_r(r->copy, ",", &save); f != NULL; f = strtok_r(NULL, ",", &save)) {
        if (r->count == MAX_FIELDS)
            break;
        r->fields[r->count++] = f;
    }
    return NULL;
}

int main(void)
{
    static const char *const lines[WORKERS] = { "7,ada", "1,bob,x" };
    struct record records[WORKERS];
    pthread_t t[WORKERS];

    memset(records, 0, sizeof records);
    for (int i = 0; i < WORKERS; i++) {
        records[i].line = lines[i];
        if (pthread_create(&t[i], NULL, parse, &records[i]) != 0)
            abort();
    }
    for (int i = 0; i < WORKERS; i++)
        pthread_join(t[i], NULL);
    assert(records[0].count == 2 && strcmp(records[0].fields[1], "ada") == 0);
    assert(records[1].count == 3 && atoi(records[1].fields[0]) == 1);
    for (int i = 0; i < WORKERS; i++)
        free(records[i].copy);
    return 0;
}
