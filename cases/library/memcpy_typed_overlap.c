// expect: unsafe at 7
// why: so is that of whole numbers
#include <string.h>

int main(void) {
    int numbers[4] = {1, 2, 3, 4};
    memcpy(numbers + 1, numbers, 2 * sizeof(int));
    return numbers[2];
}
