// expect[misuse]: unsafe at 12
// why: whoever fills the record with ones fills its lock, too
#include <pthread.h>
#include <string.h>

static struct { int count; pthread_mutex_t lock; } box;

int main(void)
{
    memset(&box, 0, sizeof box);
    memset(&box, 0xff, sizeof box);
    pthread_mutex_lock(&box.lock);
    box.count = 0;
    pthread_mutex_unlock(&box.lock);
    return 0;
}
