// expect: unsafe at 8
// why: as many bytes may come as are asked for
#include <unistd.h>

int main(void) {
    char b[4];
    if (read(0, b, 4) < 0) return 1;
    return read(0, b, 6) < 0;
}
