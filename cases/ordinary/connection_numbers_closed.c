// expect: unsafe at 44
// why: the file is closed before its place in the table is given back, and the next connection gets the same number
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

struct connection {
    int is_used;
    int n_bytes;
};

static struct connection table[64];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *serve(void *argument)
{
    int file = (int)(long)argument;
    char byte;
    if (read(file, &byte, 1) == 1) {
        pthread_mutex_lock(&lock);
        table[file].n_bytes++;
        pthread_mutex_unlock(&lock);
    }
    close(file);
    pthread_mutex_lock(&lock);
    table[file].is_used = 0;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t servers[2];
    int n_servers = 0;
    int door = socket(AF_INET, SOCK_STREAM, 0);
    if (door < 0)
        return 1;
    for (int i = 0; i < 2; i++) {
        int file = accept(door, 0, 0);
        if (file < 0)
            continue;
        pthread_mutex_lock(&lock);
        assert(!table[file].is_used);
        table[file].is_used = 1;
        table[file].n_bytes = 0;
        pthread_mutex_unlock(&lock);
        if (pthread_create(&servers[n_servers], 0, serve, (void *)(long)file) == 0)
            n_servers++;
    }
    for (int i = 0; i < n_servers; i++)
        pthread_join(servers[i], 0);
    close(door);
    return 0;
}
