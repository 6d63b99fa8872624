// expect: unsafe at 40
// why: a loop that only a jump enters still tests its condition, takes its step and goes on behind its end

#include <assert.h>

int whole_while(void) {
    int left = 3, rounds = 0;
    goto inside;
    while (left--) {
        rounds++;
    inside:;
    }
    return rounds;
}

int in_dead_code(void) {
    int i = 0;
    if (0) {
        for (i = 100; i < 5; i++) {
        inside:
            i++;
        }
        return i;
    }
    goto inside;
}

int by_case(int start) {
    int n = 0;
    switch (start) {
        do {
        case 1:
            n++;
        } while (n < 4);
        while (n < 10) {
        case 2:
            n += 7;
        }
    }
    assert(n != 14);
    return n;
}

int main(void) {
    assert(whole_while() == 3);
    assert(in_dead_code() == 6);
    assert(by_case(1) == 11);
    by_case(2);
    return 0;
}
