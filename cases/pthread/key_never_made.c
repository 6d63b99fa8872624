// expect[misuse]: unsafe at 11
// why: the key is used before anybody has made it
#include <pthread.h>

static pthread_key_t key;
static char name[] = "main";

int main(void)
{
    pthread_key_t *made = &key;
    if (pthread_setspecific(*made, name) != 0)
        return 1;
    return pthread_key_create(made, 0);
}
