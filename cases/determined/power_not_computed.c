// expect: unknown
// why: the result of pow is not computed, so an execution that goes wrong because of it proves nothing
#include <assert.h>
#include <math.h>

int main(void)
{
    assert(pow(1.5, 2.5) > 2.7);
    return 0;
}
