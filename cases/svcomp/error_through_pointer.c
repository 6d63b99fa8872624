// expect: unsafe at 3
// The name means an error, however it is called: here by a table of operations.
void reach_error(void) { }
struct operations { void (*fail)(void); } all = { .fail = reach_error };
int main(void) {
    all.fail();
    return 0;
}
