// expect: error
// why: there is nothing to start
int f(void) { return 0; }
