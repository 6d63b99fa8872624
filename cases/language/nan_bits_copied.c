// expect[assert]: safe
// expect[memsafety]: safe
// engines: explicit bmc
// why: copying an object copies its bits, also those of a float that is no number
#include <assert.h>
#include <string.h>

struct pair { float f; int i; };

extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    struct pair a, b, c;
    unsigned bits = __VERIFIER_nondet_uint(), seen;
    float f;
    memset(&a, 0xff, sizeof a);
    memcpy(&b, &a, sizeof a);
    c = b;
    assert(memcmp(&c.f, "\xff\xff\xff\xff", 4) == 0);
    memcpy(&f, &bits, sizeof f);
    memcpy(&seen, &f, sizeof f);
    assert(seen == bits);
    return 0;
}
