// expect[memsafety]: unsafe at 8
// why: the name is a literal, and `mkstemp` writes to it
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
    int file = mkstemp("/tmp/noteXXXXXX");

    if (file >= 0)
        close(file);
    return 0;
}
