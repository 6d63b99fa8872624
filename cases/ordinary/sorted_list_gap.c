// expect: unsafe
// why: (use after free) find gives back the lock of a node before it takes the next one's: in between the remover may unlink and free that
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    int key;
    pthread_mutex_t lock;
    struct node *next;
};

static struct node head = { .key = -1, .lock = PTHREAD_MUTEX_INITIALIZER };

static void push(int key)
{
    struct node *n = malloc(sizeof *n);
    if (n == NULL)
        abort();
    n->key = key;
    pthread_mutex_init(&n->lock, NULL);
    pthread_mutex_lock(&head.lock);
    n->next = head.next;
    head.next = n;
    pthread_mutex_unlock(&head.lock);
}

static bool find(int key)
{
    struct node *cur = &head;
    bool found = false;

    pthread_mutex_lock(&cur->lock);
    while (cur->next != NULL && !found) {
        struct node *next = cur->next;
        pthread_mutex_unlock(&cur->lock);
        pthread_mutex_lock(&next->lock);
        cur = next;
        found = cur->key == key;
    }
    pthread_mutex_unlock(&cur->lock);
    return found;
}

static bool pop_front(void)
{
    pthread_mutex_lock(&head.lock);
    struct node *n = head.next;
    if (n == NULL) {
        pthread_mutex_unlock(&head.lock);
        return false;
    }
    pthread_mutex_lock(&n->lock);
    head.next = n->next;
    pthread_mutex_unlock(&n->lock);
    pthread_mutex_unlock(&head.lock);
    pthread_mutex_destroy(&n->lock);
    free(n);
    return true;
}

static void *searcher(void *arg)
{
    (void)arg;
    printf("2 is %s\n", find(2) ? "there" : "gone");
    return NULL;
}

static void *remover(void *arg)
{
    (void)arg;
    pop_front();
    return NULL;
}

int main(void)
{
    pthread_t s, r;

    for (int i = 1; i <= 3; i++)
        push(i);
    if (pthread_create(&s, NULL, searcher, NULL) != 0 || pthread_create(&r, NULL, remover, NULL) != 0)
        exit(EXIT_FAILURE);
    pthread_join(s, NULL);
    pthread_join(r, NULL);
    while (pop_front())
        ;
    return EXIT_SUCCESS;
}
