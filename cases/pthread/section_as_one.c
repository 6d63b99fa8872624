// expect: safe
// engines: bmc
// why: all accesses are made under the lock, or before and after the threads; bounds and shares are known, so the loops end
#include <assert.h>
#include <pthread.h>
#define SIZE 60
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int table[SIZE], share, sum, items[SIZE], n;
_Bool is_filled;
void *add(void *arg) {
    int first = *(int *)arg * share, own = 0;
    for (int i = first; i < first + share; i++) {
        own += table[i];
    }
    pthread_mutex_lock(&m);
    sum = sum + own;
    for (int i = 0; i < share; i++) {
        if (!is_filled) {
            items[n] = i;
            n++;
        }
    }
    is_filled = 1;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t threads[2];
    int numbers[2];
    for (int i = 0; i < SIZE; i++) {
        table[i] = i % 3;
    }
    share = SIZE / 2;
    for (int i = 0; i < 2; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], 0, add, &numbers[i]);
    }
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(sum == SIZE && n == share && items[7] == 7);
    return 0;
}
