// expect: safe
// why: long options may be cut short, set a variable, and be unknown
#include <assert.h>
#include <getopt.h>
#include <stdlib.h>

static int is_verbose;
static const struct option options[] = {
    {"verbose", no_argument, &is_verbose, 1},
    {"level", required_argument, 0, 'l'},
    {0, 0, 0, 0},
};

int main(void) {
    char *argv[] = {"prog", "--level=3", "--verb", "a", "--nothing", 0};
    int argc = 5;
    int c, level = 0, n_unknown = 0;
    while ((c = getopt_long(argc, argv, "l:", options, 0)) != -1) {
        if (c == 'l')
            level = atoi(optarg);
        else if (c == '?')
            n_unknown++;
    }
    assert(level == 3 && is_verbose == 1 && n_unknown == 1 && optind == argc - 1);
    return 0;
}
