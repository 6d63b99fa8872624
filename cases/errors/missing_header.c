// expect: error at 3
// why: the compiler's own message is passed on
#include "no_such_header.h"
int main(void) { return 0; }
