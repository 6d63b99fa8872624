// expect: safe
// why: no layout matters where a distance within one array is multiplied, is the index of larger elements, or is not computed for null
#include <assert.h>
#include <string.h>

char text[8] = "7z";
int counts[8] = {0, 4, 9};

int main(void) {
    char *end = text + 1;
    assert((end - text) * 1000 == 1000);
    assert(counts[end - text] == 4);
    char *found = strchr(text, 'q');
    long where = found ? found - text : -1;
    assert(where == -1);
    return 0;
}
