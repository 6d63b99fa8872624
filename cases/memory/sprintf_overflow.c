// expect: unsafe at 8
// why: ten and a text of five make six characters and an end
#include <stdio.h>

int main(int argc, char **argv) {
    char b[6];
    int ten = argc > 1 ? 10 : 1;
    sprintf(b, "%dabcd", ten);
    return 0;
}
