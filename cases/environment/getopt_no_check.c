// expect: unsafe at 13
// property: memsafety
// options: --argv-max 1 --argv-length 2
// why: the letter has no argument, so optarg is null
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int c, n = 0;
    while ((c = getopt(argc, argv, "v")) != -1) {
        if (c == 'v')
            // the colon is missing above
            n += optarg[0];
    }
    return n == 0;
}
