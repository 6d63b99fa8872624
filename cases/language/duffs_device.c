// expect: safe
#include <assert.h>

int main(void) {
    int n = 0, count = 7, rounds = (count + 3) / 4;
    switch (count % 4) {
    case 0: do { n++;
    case 3: n++;
    case 2: n++;
    case 1: n++;
            } while (--rounds > 0);
    }
    assert(n == 7);
    return 0;
}
