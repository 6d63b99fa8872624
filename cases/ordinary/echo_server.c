// expect: safe
// why: an accept loop gives each client's descriptor to a thread of its own, on the heap; all are joined
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CLIENTS 2

struct client {
    int fd;
    size_t echoed;
};

static int listen_on_loopback(struct sockaddr_in *addr)
{
    socklen_t len = sizeof *addr;
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    if (fd < 0)
        return -1;
    memset(addr, 0, sizeof *addr);
    addr->sin_family = AF_INET;
    addr->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(fd, (struct sockaddr *)addr, sizeof *addr) != 0 || listen(fd, CLIENTS) != 0 ||
        getsockname(fd, (struct sockaddr *)addr, &len) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static void *serve(void *arg)
{
    struct client *c = arg;
    char buffer[64];
    ssize_t n = read(c->fd, buffer, sizeof buffer);

    if (n > 0 && write(c->fd, buffer, (size_t)n) == n)
        c->echoed += (size_t)n;
    close(c->fd);
    return c;
}

static void *call(void *arg)
{
    const struct sockaddr_in *addr = arg;
    char reply[64];
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    if (fd < 0)
        return NULL;
    if (connect(fd, (const struct sockaddr *)addr, sizeof *addr) == 0 && write(fd, "ping", 4) == 4) {
        ssize_t n = read(fd, reply, sizeof reply);
        if (n > 0)
            printf("got %.*s\n", (int)n, reply);
    }
    close(fd);
    return NULL;
}

int main(void)
{
    struct sockaddr_in addr;
    pthread_t servers[CLIENTS], callers[CLIENTS];
    int started = 0;
    size_t total = 0;
    int listener = listen_on_loopback(&addr);

    if (listener < 0) {
        perror("listen");
        return EXIT_FAILURE;
    }
    for (int i = 0; i < CLIENTS; i++)
        if (pthread_create(&callers[i], NULL, call, &addr) != 0)
            abort();
    for (int i = 0; i < CLIENTS; i++) {
        struct client *c = malloc(sizeof *c);
        if (c == NULL)
            abort();
        c->echoed = 0;
        c->fd = accept(listener, NULL, NULL);
        if (c->fd < 0) {
            perror("accept");
            free(c);
            break;
        }
        if (pthread_create(&servers[started], NULL, serve, c) != 0)
            abort();
        started++;
    }
    for (int i = 0; i < started; i++) {
        void *result;
        pthread_join(servers[i], &result);
        total += ((struct client *)result)->echoed;
        free(result);
    }
    close(listener);
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(callers[i], NULL);
    printf("%zu bytes echoed\n", total);
    return EXIT_SUCCESS;
}
