// expect: error at 4
int f(int a, int b) { return a + b; }
int main(void) {
    return f(1);
}
