// expect[memsafety]: safe
// why: the bytes of an array name the block, though each of them is no pointer
#include <stdlib.h>
#include <string.h>

static unsigned char hidden[sizeof(char *)];

int main(void)
{
    char *block = malloc(4);
    memcpy(hidden, &block, sizeof block);
    return 0;
}
