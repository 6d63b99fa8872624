// expect: unsafe at 5
// why: string literals may not be written
int main(void) {
    char *s = (char *)"abc";
    s[0] = 'x';
    return 0;
}
