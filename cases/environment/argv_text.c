// expect: unsafe at 8
// why: a program can be started with any texts; this one breaks on one of them
#include <assert.h>
#include <string.h>

int main(int argc, char **argv) {
    if (argc > 2 && strcmp(argv[1], "-n") == 0)
        assert(argv[2][0] != 'x');
    return 0;
}
