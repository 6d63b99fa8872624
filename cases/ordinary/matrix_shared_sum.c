// expect: unsafe
// why: (race) the accumulator of the inner loop is a static variable that all row workers share
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define DIM 3

static int a[DIM][DIM] = { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } };
static int b[DIM][DIM] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
static int c[DIM][DIM];
static int sum;

static void *multiply_row(void *arg)
{
    int row = *(int *)arg;

    for (int col = 0; col < DIM; col++) {
        sum = 0;
        for (int k = 0; k < DIM; k++)
            sum += a[row][k] * b[k][col];
        c[row][col] = sum;
    }
    return NULL;
}

int main(void)
{
    pthread_t rows[DIM];
    int ids[DIM];

    for (int i = 0; i < DIM; i++) {
        ids[i] = i;
        if (pthread_create(&rows[i], NULL, multiply_row, &ids[i]) != 0) {
            fprintf(stderr, "no thread for row %d\n", i);
            exit(EXIT_FAILURE);
        }
    }
    for (int i = 0; i < DIM; i++)
        pthread_join(rows[i], NULL);
    for (int i = 0; i < DIM; i++)
        printf("%d %d %d\n", c[i][0], c[i][1], c[i][2]);
    return 0;
}
