// expect[assert]: unsafe
// why: a text that is no address is no error: the answer is 0, not -1
#include <arpa/inet.h>
#include <assert.h>

int main(void)
{
    struct in_addr address;
    assert(inet_pton(AF_INET, "1.2.3", &address) != 0);
    return 0;
}
