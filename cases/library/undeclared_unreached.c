// expect: safe
// property: assert
// why: nothing declares puts, so the call without its argument is only wrong where it is made
void unused(void) {
    puts();
}

int main(int n, char **arguments) {
    if (n < 0)
        unused();
    return 0;
}
