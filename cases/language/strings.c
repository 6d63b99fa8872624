// expect: safe
#include <assert.h>

const char *names[] = {"zero", "one" "two"};
char text[] = "abc";
int main(void) {
    assert(sizeof text == 4 && text[3] == 0);
    text[0] = 'x';
    assert(text[0] == 'x' && names[1][3] == 't');
    assert('\n' == 10 && '\x41' == 'A' && '\101' == 'A');
    assert(sizeof "hello" == 6);
    return 0;
}
