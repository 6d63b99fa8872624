// expect[assert]: unsafe
// why: what is printed may fail to be written, also where nobody looks at the result
#include <assert.h>
#include <stdio.h>

int main(void)
{
    printf("%d\n", 1);
    assert(!ferror(stdout));
    return 0;
}
