// expect: safe
// Sections begin and end through pointers, too.
#include <assert.h>
#include <pthread.h>
void __VERIFIER_atomic_begin(void) { }
void __VERIFIER_atomic_end(void) { }
void (*begin)(void) = __VERIFIER_atomic_begin, (*end)(void) = __VERIFIER_atomic_end;
int x, y;
void *move(void *unused) {
    begin();
    x++;
    y++;
    end();
    return 0;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, move, 0);
    begin();
    assert(x == y);
    end();
    pthread_join(thread, 0);
    return 0;
}
