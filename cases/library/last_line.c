// expect[assert]: safe
// why: a line that stops before its end and before the room does is the last one
#include <assert.h>
#include <stdio.h>

int main(void)
{
    char line[3] = {'x', 'x', 'x'};
    if (!fgets(line, sizeof line, stdin))
        return 1;
    if (line[0] != '\n' && line[1] == 0 && line[2] == 'x')
        assert(feof(stdin));
    if (line[0] == '\n')
        assert(!feof(stdin));
    return 0;
}
