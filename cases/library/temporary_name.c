// expect[assert]: unsafe at 16
// why: `mkstemp` puts other characters where the six X are
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
    char name[] = "noteXXXXXX";
    int file = mkstemp(name);

    if (file < 0)
        return 1;
    assert(strncmp(name, "note", 4) == 0 && strlen(name) == 10);
    assert(strcmp(name, "noteXXXXXX") == 0);
    close(file);
    return 0;
}
