// expect: error at 5
struct s { int a; };
int main(void) {
    struct s x = {1};
    return x + 1;
}
