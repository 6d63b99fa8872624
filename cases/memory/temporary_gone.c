// expect[memsafety]: unsafe
// engines: explicit bmc cegar
// why: a record that a call returns ends with the full expression, and what points into it points nowhere
struct triple { int a[3]; };

static struct triple make(int x)
{
    return (struct triple){ { x, x + 1, x + 2 } };
}

int main(void)
{
    int *p = make(4).a;
    return p[1] == 5;
}
