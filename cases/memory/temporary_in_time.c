// expect[memsafety]: safe
// expect[assert]: safe
// engines: explicit bmc
// why: records that calls return live as long as the full expression that uses them, wherever it stands
#include <assert.h>

struct triple { int a[3]; };

static struct triple make(int x)
{
    return (struct triple){ { x, x + 1, x + 2 } };
}

static int sum(const int *p)
{
    return p[0] + p[1] + p[2];
}

static struct triple shifted(struct triple old)
{
    return make(old.a[1]);
}

static int first(int x)
{
    return make(x).a[0];
}

int main(void)
{
    int n = 0;
    while (make(n).a[0] < 2)
        n++;
    assert(n == 2);
    for (int i = make(0).a[1]; make(i).a[2] < 5; i += make(1).a[0])
        n += make(i).a[1] > 2 ? sum(make(i).a) : first(i);
    assert(n == 2 + 1 + 9);
    if (sum(make(1).a) == 6 && shifted(make(7)).a[2] == 10)
        n = 0;
    do {
        n++;
    } while (make(n).a[0] != 3);
    switch (make(n).a[2]) {
    case 5:
        n = 1;
        break;
    default:
        n = 0;
    }
    int room[make(2).a[1]];
    room[2] = sum((n ? make(3) : make(4)).a);
    assert(n == 1 && room[2] == 12 && sizeof room == 3 * sizeof(int));
again:
    n = ({ int kept = make(n).a[1]; make(kept).a[0]; });
    if (make(n).a[0] < 4)
        goto again;
    assert(n == 4);
    return 0;
}
