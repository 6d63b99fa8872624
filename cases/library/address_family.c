// expect[assert]: safe
// why: addresses of a family that nobody knows are refused with an error of their own, and the text is not looked at
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>

int main(void)
{
    struct in_addr address = {0};
    char text[INET_ADDRSTRLEN];
    assert(inet_pton(12345, "", &address) == -1 && errno == EAFNOSUPPORT);
    errno = 0;
    assert(inet_ntop(12345, &address, text, sizeof text) == 0 && errno == EAFNOSUPPORT);
    assert(inet_ntop(AF_INET, &address, text, 4) == 0 && errno == ENOSPC);
    return 0;
}
