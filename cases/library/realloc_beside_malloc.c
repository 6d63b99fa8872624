// expect: safe
// why: blocks of different calls of malloc are told apart, also where the program resizes some of them
#include <assert.h>
#include <stdlib.h>

struct table {
    int n;
    char *names[2];
};

int main(void) {
    struct table *table = malloc(sizeof *table);
    char **list = malloc(2 * sizeof *list);
    table->n = 2;
    for (int i = 0; i < table->n; i++)
        list[i] = "a";
    list = realloc(list, 3 * sizeof *list);
    list[2] = "b";
    assert(table->n == 2 && list[1][0] == 'a');
    free(list);
    free(table);
    return 0;
}
