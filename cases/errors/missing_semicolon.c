// expect: error at 3
int main(void) {
    int x = 1
    return x;
}
