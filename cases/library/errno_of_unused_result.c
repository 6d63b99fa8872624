// expect[assert]: unsafe
// why: A call that fails sets errno, whether anybody looks at its result or not.
#include <assert.h>
#include <errno.h>
#include <unistd.h>

int main(void) {
    errno = 0;
    unlink("no such file");
    assert(errno == 0);
    return 0;
}
