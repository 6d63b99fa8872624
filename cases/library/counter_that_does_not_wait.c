// expect[deadlock]: safe
// why: a counter that was made not to wait says so
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

int main(void)
{
    uint64_t count;
    int done = eventfd(0, EFD_NONBLOCK);

    if (done < 0)
        return 1;
    return read(done, &count, sizeof count) == sizeof count;
}
