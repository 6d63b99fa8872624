// expect: unknown
// why: compilers do not agree on the type of a bit-field, so that it is not asked for
struct fields { long narrow : 19; } s;

int main(void) {
    return _Generic(s.narrow, long: 1, default: 2);
}
