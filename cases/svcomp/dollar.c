// expect: safe
// why: generated tasks have $ in names
extern void abort(void);
void reach_error(void) {}

int x$w_buff0, y$read = 1;
int main(void) {
    x$w_buff0 = y$read;
    if (x$w_buff0 != 1)
        reach_error();
    return 0;
}
