// expect: safe
// property: basic,race
// Two threads sort a half each by a recursive function that calls itself twice and keeps arrays of its own on the stack; main merges what they have sorted.
#include <assert.h>
#include <pthread.h>

enum { N = 6 };

static int numbers[N] = {5, 1, 4, 2, 6, 3};

static void merge(int *from, int n_left, int n)
{
    int merged[N];
    int left = 0, right = n_left;
    for (int i = 0; i < n; i++)
        merged[i] = right == n || (left < n_left && from[left] <= from[right]) ? from[left++] : from[right++];
    for (int i = 0; i < n; i++)
        from[i] = merged[i];
}

static void sort(int *from, int n)
{
    if (n < 2)
        return;
    sort(from, n / 2);
    sort(from + n / 2, n - n / 2);
    merge(from, n / 2, n);
}

static void *worker(void *from)
{
    sort(from, N / 2);
    return 0;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, 0, worker, numbers);
    pthread_create(&second, 0, worker, numbers + N / 2);
    pthread_join(first, 0);
    pthread_join(second, 0);
    merge(numbers, N / 2, N);
    for (int i = 0; i < N; i++)
        assert(numbers[i] == i + 1);
    return 0;
}
