// expect: unsafe at 13
// why: memcmp may look at all bytes that it is given, also behind the first that differ
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char other[8] = "abc";
    int result;
    char *two = malloc(2);
    two[0] = 'x';
    two[1] = 0;
    result = memcmp(two, other, 8);
    free(two);
    return result > 0;
}
