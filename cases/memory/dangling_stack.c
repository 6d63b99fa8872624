// expect: unsafe at 9
int *escape(void) {
    int local = 5;
    int *p = &local;
    return p;
}
int main(void) {
    int *p = escape();
    return *p;
}
