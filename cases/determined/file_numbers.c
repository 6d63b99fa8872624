// expect: safe
// why: two files that are open at the same time have different numbers, and a number that was given back is the next
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    int one = open("one", O_RDONLY);
    FILE *stream = fopen("two", "r");
    int other = dup(1);
    if (one >= 0 && other >= 0) {
        assert(one != other && one > 2 && other > 2);
        if (stream)
            assert(fileno(stream) != one && fileno(stream) != other);
        close(one);
        int next = open("three", O_RDONLY);
        assert(next == one || next < 0);
    }
    return 0;
}
