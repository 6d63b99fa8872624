// expect[termination]: safe
// engines: explicit
// why: the loop looks like one that never ends, but the counter is looked at in the end
int main(void)
{
    unsigned char rounds = 0, other = 0;
    while (rounds != 200) {
        rounds++;
        other += 3;
    }
    return other == 88 ? 0 : 1;
}
