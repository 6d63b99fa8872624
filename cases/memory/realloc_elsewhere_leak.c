// expect[memsafety]: unsafe
// expect[reach]: safe
// engines: explicit
// why: the sizes of blocks that a program which resizes some needs to know are no reason to call a block kept
#include <stdlib.h>

int main(void)
{
    char *kept = malloc(4);
    char *lost = malloc(10);
    if (!kept || !lost)
        exit(0);
    kept[0] = kept[1] = kept[2] = kept[3] = 0;
    lost[0] = 1;
    lost = 0;
    char *larger = realloc(kept, 8);
    free(larger ? larger : kept);
    return 0;
}
