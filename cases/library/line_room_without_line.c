// expect[assert]: unsafe at 13
// why: `getline` may make room before it finds that nothing comes
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    char *line = NULL;
    size_t room = 0;

    if (getline(&line, &room, stdin) < 0)
        assert(!line);
    free(line);
    return 0;
}
