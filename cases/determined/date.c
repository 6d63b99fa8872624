// expect: safe
// why: there is a date for every time of our age, and its parts are within their ranges
#include <assert.h>
#include <time.h>

int main(void)
{
    time_t now = time(0);
    struct tm *date = gmtime(&now);
    assert(date->tm_hour >= 0 && date->tm_hour < 24 && date->tm_mday > 0);
    return 0;
}
