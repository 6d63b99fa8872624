// expect: safe
// why: letters may stand together, an argument is attached or behind, and what is no option is moved to the end
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void) {
    char *argv[] = {"prog", "-v", "x", "-n3", "y", "-n", "4", "--", 0};
    int argc = sizeof argv / sizeof argv[0] - 1;
    int c, sum = 0, n_v = 0;
    while ((c = getopt(argc, argv, "n:v")) != -1) {
        if (c == 'n')
            sum += atoi(optarg);
        else if (c == 'v')
            n_v++;
        else
            assert(0);
    }
    assert(sum == 7 && n_v == 1 && optind == 6);
    assert(strcmp(argv[6], "x") == 0 && strcmp(argv[7], "y") == 0);
    return 0;
}
