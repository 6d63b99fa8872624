// expect[race]: safe
// why: nodes that are freed under a mutex and compared with others race with nobody; whether an address is given out again is watched by variables that are not the program's
#include <pthread.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

static struct node *head, *tail;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void push(int value)
{
    struct node *node = malloc(sizeof *node);
    node->value = value;
    node->next = 0;
    pthread_mutex_lock(&lock);
    if (tail)
        tail->next = node;
    else
        head = node;
    tail = node;
    pthread_mutex_unlock(&lock);
}

static void *pop(void *unused)
{
    pthread_mutex_lock(&lock);
    struct node *node = head;
    if (node) {
        head = node->next;
        tail = node == tail ? NULL : tail;
        sum += node->value;
    }
    pthread_mutex_unlock(&lock);
    free(node);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, pop, 0);
    pthread_create(&b, 0, pop, 0);
    push(1);
    push(2);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
