// expect: safe
// why: what the system says of the process does not change while it runs
#include <assert.h>
#include <unistd.h>

int main(void) {
    assert(geteuid() == geteuid());
    assert(sysconf(_SC_PAGESIZE) == sysconf(_SC_PAGESIZE));
    return 0;
}
