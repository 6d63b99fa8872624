// expect: error
int main(void) { return 0; }
/* this never ends
