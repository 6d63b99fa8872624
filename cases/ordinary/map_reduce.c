// expect: safe
// why: each mapper counts into its own cell; main adds up after the joins
#include <assert.h>
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAPPERS 3

struct part {
    const char *text;
    int words;
    int digits;
};

static void *map(void *arg)
{
    struct part *p = arg;
    int in_word = 0;

    for (const char *s = p->text; *s != '\0'; s++) {
        if (isdigit((unsigned char)*s))
            p->digits++;
        if (isspace((unsigned char)*s)) {
            in_word = 0;
        } else if (!in_word) {
            in_word = 1;
            p->words++;
        }
    }
    return NULL;
}

int main(void)
{
    static const char *const texts[MAPPERS] = { "one two 3", "", "a1 b22" };
    struct part parts[MAPPERS];
    pthread_t threads[MAPPERS];
    int words = 0, digits = 0;

    memset(parts, 0, sizeof parts);
    for (int i = 0; i < MAPPERS; i++) {
        parts[i].text = texts[i];
        if (pthread_create(&threads[i], NULL, map, &parts[i]) != 0) {
            fprintf(stderr, "cannot create mapper %d\n", i);
            exit(EXIT_FAILURE);
        }
    }
    for (int i = 0; i < MAPPERS; i++) {
        pthread_join(threads[i], NULL);
        words += parts[i].words;
        digits += parts[i].digits;
    }
    assert(words == 5);
    assert(digits == 4);
    printf("%d words, %d digits\n", words, digits);
    return 0;
}
