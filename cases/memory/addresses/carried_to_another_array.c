// expect: unsafe at 17
// why: the second comma's position is marked in the other array; the sum of its address and the distance names neither array once constants are added up
#include <assert.h>
#include <string.h>

char line[8] = "ab,c,";
char marks[8];
int ends[8];

int main(void) {
    char *at = line;
    while (*at != ',')
        at++;
    marks[at - line] = 1;
    at = strchr(at + 1, ',');
    *(ends + (at - line)) = 2;
    assert(marks[2] == 0 || ends[4] != 2);
    return 0;
}
