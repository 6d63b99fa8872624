// expect: unsafe
// why: (race) the accept loop passes the address of its own variable to the handler, and the next accept overwrites it
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CLIENTS 3

static void *handle(void *arg)
{
    int fd = *(int *)arg;
    char buffer[64];
    ssize_t n;

    while ((n = recv(fd, buffer, sizeof buffer, 0)) > 0)
        if (send(fd, buffer, (size_t)n, 0) != n)
            break;
    close(fd);
    return NULL;
}

static int open_listener(unsigned short port)
{
    struct sockaddr_in addr;
    int on = 1, fd = socket(AF_INET, SOCK_STREAM, 0);

    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    memset(&addr, 0, sizeof addr);
    addr.sin_family = AF_INET;
    addr.sin_port = htons(port);
    addr.sin_addr.s_addr = htonl(INADDR_ANY);
    if (bind(fd, (struct sockaddr *)&addr, sizeof addr) < 0 || listen(fd, 8) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

int main(void)
{
    pthread_t threads[CLIENTS];
    int listener = open_listener(8099), fd, n = 0;

    if (listener < 0) {
        perror("listener");
        return EXIT_FAILURE;
    }
    while (n < CLIENTS) {
        fd = accept(listener, NULL, NULL);
        if (fd < 0)
            break;
        if (pthread_create(&threads[n], NULL, handle, &fd) != 0) {
            close(fd);
            break;
        }
        n++;
    }
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    close(listener);
    return EXIT_SUCCESS;
}
