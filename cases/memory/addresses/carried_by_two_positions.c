// expect: unsafe at 17
// why: the cell of a table is found by a position in each of two words, and by the distance of two positions; no single position leads to the table
#include <assert.h>

char table[4][8], row[] = "01", column[] = "ab";

int main(void) {
    char *p = row, *q = column;
    while (*p)
        p++;
    while (*q)
        q++;
    table[p - row][q - column] = 1;
    assert(table[2][1] == 0);
    table[q - column][p - row]++;
    assert(table[2][2] == 2);
    assert(table[2][2] == 0);
    return 0;
}
