// expect: unsafe at 6
// property: assert
// why: without <assert.h> a call of assert is one of a function that nobody has declared; it means the same
int main(void) {
    int x = 1;
    assert(x == 2);
    return 0;
}
