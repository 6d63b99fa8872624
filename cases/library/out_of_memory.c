// options: --fallible
// expect[assert]: safe
// why: who finds no memory says so by ENOMEM; nothing else can be the error number
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    void *aligned = 0;
    char *text = malloc(8);

    if (!text) {
        assert(errno == ENOMEM);
        return 1;
    }
    strcpy(text, "text");
    errno = 0;
    char *copy = strdup(text);
    assert(copy || errno == ENOMEM);
    int error = posix_memalign(&aligned, 64, 128);
    assert(error == 0 || error == ENOMEM);
    if (error == 0)
        free(aligned);
    free(copy);
    free(text);
    return 0;
}
