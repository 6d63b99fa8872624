// expect[race]: safe
// expect: safe
// why: the end of thrd_create happens before the beginning of the thread, which finds its handle
#include <assert.h>
#include <threads.h>

thrd_t thread;
int n;

int work(void *arg)
{
    n++;
    assert(thrd_equal(thread, thrd_current()));
    return 7;
}

int main(void)
{
    int result;
    thrd_create(&thread, work, 0);
    thrd_join(thread, &result);
    assert(result == 7 && n == 1);
    return 0;
}
