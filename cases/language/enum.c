// expect: safe
#include <assert.h>

enum color { RED, GREEN = 5, BLUE };
typedef enum { OFF, ON } state;
int main(void) {
    enum color c = BLUE;
    assert(c == 6 && RED == 0);
    state s = ON;
    assert(s + GREEN == 6);
    return 0;
}
