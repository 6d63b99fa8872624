// expect[overflow]: unsafe
// why: `++` of an unsigned field of 31 bits is a sum of ints, which has no room for one more
struct packed {
    unsigned low : 31;
};

int main(void)
{
    struct packed p;
    p.low = 0x7fffffff;
    p.low++;
    return 0;
}
