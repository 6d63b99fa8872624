// expect: unsafe at 9
// property: misuse
// engines: explicit bmc cegar
// why: a load cannot release anything
int x;

int main(void)
{
    return __atomic_load_n(&x, __ATOMIC_RELEASE);
}
