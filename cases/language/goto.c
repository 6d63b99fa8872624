// expect: safe
#include <assert.h>

int main(void) {
    int i = 0, sum = 0;
again:
    if (i == 5)
        goto done;
    sum += i++;
    goto again;
done:
    assert(sum == 10);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            if (a * b == 2)
                goto out;
    assert(0);
out:
    return 0;
}
