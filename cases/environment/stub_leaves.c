// expect: safe
// options: --stub havoc
// why: what is const, and what it has no pointer to, is left alone; its own kind of error ends the program
#include <assert.h>

int ask(const int *only_read);
void die(const char *why) __attribute__((noreturn));
static int hidden = 3;

int main(void) {
    int b = 2;
    if (ask(&b) < 0)
        die("no answer");
    assert(b == 2 && hidden == 3);
    return 0;
}
