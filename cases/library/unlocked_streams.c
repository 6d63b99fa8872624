// expect[race]: unsafe
// why: the unlocked functions of streams leave it to the program to lock
#include <pthread.h>
#include <stdio.h>

static void *say(void *unused)
{
    putchar_unlocked('x');
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, say, 0);
    putchar_unlocked('y');
    pthread_join(thread, 0);
    return 0;
}
