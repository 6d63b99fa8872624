// expect: safe
// property: assert
// why: pthread_setcancelstate stores the old state, or fails; it stored nothing
#include <assert.h>
#include <pthread.h>

int main(void) {
    int old = -1;
    if (pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) == 0)
        assert(old != -1);
    return 0;
}
