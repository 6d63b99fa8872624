// expect: safe
// why: addresses of four numbers are exact
#include <arpa/inet.h>
#include <assert.h>

int main(void)
{
    struct in_addr address;
    assert(inet_pton(AF_INET, "127.0.0.1", &address) == 1);
    assert(address.s_addr == htonl(0x7f000001) && inet_addr("127.0.0.1") == address.s_addr);
    assert(inet_pton(AF_INET, "127.0.0.256", &address) == 0);
    return 0;
}
