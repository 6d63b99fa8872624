// expect[memsafety]: safe
// expect[assert]: safe
// engines: bmc
// why: what the system writes into variables before a process starts are texts, not any numbers
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
    int n = 0;
    for (char **variable = environ; *variable; variable++)
        n += (*variable)[0] == 'X';
    n += tzname[0][0] == '!';
    return n + (program_invocation_short_name[0] == 'v');
}
