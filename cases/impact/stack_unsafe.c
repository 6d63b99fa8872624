// expect: unsafe at 24
// property: reach,assert
// engines: explicit
// why: the stack is looked at before the lock is taken, and may be empty by then
#include <assert.h>
#include <pthread.h>
#define SIZE 3

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int stack[SIZE];
int top;

int push(int value)
{
    if (top == SIZE)
        return 0;
    stack[top] = value;
    top = top + 1;
    return 1;
}

int pop(void)
{
    assert(top > 0);
    top = top - 1;
    return stack[top];
}

void *puts_in(void *arg)
{
    for (int i = 0; i < SIZE; i++) {
        pthread_mutex_lock(&lock);
        push(i + 1);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

void *takes_out(void *arg)
{
    for (int i = 0; i < SIZE; i++) {
        int filled = top > 0;
        pthread_mutex_lock(&lock);
        if (filled)
            assert(pop() > 0);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void)
{
    pthread_t one, two, three;
    pthread_create(&one, 0, puts_in, 0);
    pthread_create(&two, 0, takes_out, 0);
    pthread_create(&three, 0, takes_out, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    pthread_join(three, 0);
    return 0;
}
