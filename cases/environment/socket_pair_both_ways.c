// expect: unsafe at 36
// property: assert
// why: each end of a pair of sockets reads what the other one has written; the answer comes after the question
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

int ends[2];
atomic_int asked, answered;

void *server(void *arg)
{
    char question;
    if (read(ends[1], &question, 1) == 1) {
        assert(asked == 1);
        answered = 1;
        write(ends[1], "a", 1);
    }
    return 0;
}

int main(void)
{
    pthread_t t;
    char answer;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
        return 0;
    pthread_create(&t, 0, server, 0);
    asked = 1;
    write(ends[0], "q", 1);
    long n = read(ends[0], &answer, 1);
    if (n == 1) {
        assert(answered == 1);
        assert(asked != 1);
    }
    pthread_join(t, 0);
    return 0;
}
