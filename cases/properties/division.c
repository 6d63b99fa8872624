// expect: unsafe at 2
int f(int n) { return 10 / n; }
int main(void) {
    return f(0);
}
