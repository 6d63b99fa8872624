// expect: unsafe at 14
// why: a jump past a declaration leaves the variable without a value, whatever it had in an earlier round

#include <assert.h>

int main(void) {
    for (int round = 0; round < 2; round++) {
        if (round == 1)
            goto inside;
        {
            int x = 5;
            if (0) {
            inside:
                assert(x == 5);
            }
        }
    }
    return 0;
}
