// expect: safe
// expect[race]: safe
#include <assert.h>
#include <string.h>

int main(void) {
    char text[] = "a,bc,,d", *rest;
    assert(strcmp(strtok_r(text, ",", &rest), "a") == 0);
    assert(strcmp(strtok_r(0, ",", &rest), "bc") == 0);
    assert(strcmp(strtok_r(0, ",", &rest), "d") == 0);
    assert(strtok_r(0, ",", &rest) == 0);
    return 0;
}
