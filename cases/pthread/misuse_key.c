// expect: unsafe at 13
// property: misuse
// engines: explicit bmc cegar
// why: a key that was deleted names nothing
#include <pthread.h>

pthread_key_t key;

int main(void)
{
    pthread_key_create(&key, 0);
    pthread_key_delete(key);
    pthread_setspecific(key, &key);
    return 0;
}
