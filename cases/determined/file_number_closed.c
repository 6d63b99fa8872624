// expect: unsafe at 14
// why: the number of a closed file may belong to another one soon
#include <assert.h>
#include <fcntl.h>
#include <unistd.h>

int main(void)
{
    int one = open("one", O_RDONLY);
    if (one < 0)
        return 1;
    close(one);
    int other = open("other", O_RDONLY);
    assert(one != other);
    return 0;
}
