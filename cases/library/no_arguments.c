// expect: unsafe at 6
// why: a program may be started without any arguments, even without its name
#include <assert.h>

int main(int argc, char **argv) {
    assert(argc > 0);
    return 0;
}
