// expect: unsafe
// property: assert
// why: the function is chosen by another thread
#include <pthread.h>
#include <assert.h>
typedef int (*op)(int, int);
static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
struct job { op run; int a; int b; const char *name; };
static struct job jobs[2] = { { add, 1, 2, "add" }, { sub, 3, 1, "sub" } };
static op current = add;
static int result;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *chooser(void *arg) {
    (void)arg;
    pthread_mutex_lock(&m);
    current = jobs[1].run;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, chooser, 0);
    pthread_mutex_lock(&m);
    result = current(2, 2);
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    assert(result == 4);
    return 0;
}
