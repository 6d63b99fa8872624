// expect[assert]: safe
// expect[deadlock]: unsafe
// why: who reads an empty pipe that can still be written waits, here for ever
#include <assert.h>
#include <unistd.h>

int main(void)
{
    int ends[2];
    char got;
    if (pipe(ends))
        return 0;
    assert(read(ends[0], &got, 1) != 1);
    return 0;
}
