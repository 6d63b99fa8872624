// expect: safe
// engines: bmc
// why: bit-fields of different types share bytes; initialising one keeps the bits of the other

#include <assert.h>

struct mixed {
    short low : 9;
    long long middle : 30;
    char high : 3;
} mixed = {-3, 77777, 2}, later = {.high = -1, .low = 5, .middle = -6};

struct __attribute__((packed)) tight {
    unsigned a : 13;
    int b : 25;
    unsigned : 3;
    unsigned long long c : 17;
} tight[2] = {{5000, -40000, 99999}, {.c = 7, .a = 8191}};

#pragma pack(push, 1)
struct nested {
    char first;
    struct {
        int x : 7;
        long y : 25;
    };
    union {
        unsigned u : 5;
        long w : 31;
    };
} nested = {1, {-64, 1L << 22}, {.w = -2}};
#pragma pack(pop)

/* No type of C fits into the three, five and nine bytes of these. */
struct __attribute__((packed)) odd {
    int a : 20;
    char between;
    long long b : 37;
    char end;
    unsigned c : 4;
    long long d : 64;
} odd = {-5, 6, -7, 8, 9, -10};

int main(void) {
    assert(odd.a == -5 && odd.between == 6 && odd.b == -7 && odd.end == 8 && odd.c == 9 && odd.d == -10);
    odd.a = 1 << 18;
    odd.b++;
    odd.d <<= 3;
    assert(odd.a == 1 << 18 && odd.between == 6 && odd.b == -6 && odd.end == 8 && odd.c == 9 && odd.d == -80);

    assert(mixed.low == -3 && mixed.middle == 77777 && mixed.high == 2);
    assert(later.low == 5 && later.middle == -6 && later.high == -1);
    assert(tight[0].a == 5000 && tight[0].b == -40000 && tight[0].c == 99999);
    assert(tight[1].a == 8191 && tight[1].b == 0 && tight[1].c == 7);
    assert(nested.first == 1 && nested.x == -64 && nested.y == 1L << 22 && nested.w == -2 && nested.u == 30);

    static struct tight own = {1, 2, 3};
    struct tight local = {1, 2, 3};
    assert(own.a == local.a && own.b == local.b && own.c == local.c);
    return 0;
}
