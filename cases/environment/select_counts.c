// expect: safe
// why: of the files that were asked about as many are ready as select says
#include <assert.h>
#include <sys/select.h>

int main(void) {
    fd_set set;
    FD_ZERO(&set);
    FD_SET(3, &set);
    int n = select(4, &set, 0, 0, 0);
    if (n > 0)
        assert(n == 1 && FD_ISSET(3, &set));
    if (n == 0)
        assert(!FD_ISSET(3, &set));
    return 0;
}
