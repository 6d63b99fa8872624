// expect: safe
// why: a sorted list with a lock in each node, taken hand over hand; a node is freed when it is unlinked and nobody can wait for it
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct node {
    int key;
    pthread_mutex_t lock;
    struct node *next;
};

static struct node head = { .key = -1, .lock = PTHREAD_MUTEX_INITIALIZER };

/* Returns the last node with a smaller key, locked; *at is its successor, locked too, or NULL. */
static struct node *locate(int key, struct node **at)
{
    struct node *prev = &head, *cur;

    pthread_mutex_lock(&prev->lock);
    cur = prev->next;
    if (cur != NULL)
        pthread_mutex_lock(&cur->lock);
    while (cur != NULL && cur->key < key) {
        pthread_mutex_unlock(&prev->lock);
        prev = cur;
        cur = cur->next;
        if (cur != NULL)
            pthread_mutex_lock(&cur->lock);
    }
    *at = cur;
    return prev;
}

static bool list_insert(int key)
{
    struct node *cur, *prev = locate(key, &cur);
    bool fresh = cur == NULL || cur->key != key;

    if (fresh) {
        struct node *n = malloc(sizeof *n);
        if (n == NULL)
            abort();
        n->key = key;
        pthread_mutex_init(&n->lock, NULL);
        n->next = cur;
        prev->next = n;
    }
    if (cur != NULL)
        pthread_mutex_unlock(&cur->lock);
    pthread_mutex_unlock(&prev->lock);
    return fresh;
}

static bool list_remove(int key)
{
    struct node *cur, *prev = locate(key, &cur);
    bool found = cur != NULL && cur->key == key;

    if (found)
        prev->next = cur->next;
    if (cur != NULL)
        pthread_mutex_unlock(&cur->lock);
    pthread_mutex_unlock(&prev->lock);
    if (found) {
        pthread_mutex_destroy(&cur->lock);
        free(cur);
    }
    return found;
}

static void *inserter(void *arg)
{
    (void)arg;
    list_insert(5);
    list_insert(3);
    return NULL;
}

static void *remover(void *arg)
{
    int *removed = arg;
    *removed += list_remove(5);
    *removed += list_remove(1);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int removed = 0, left = 0;

    list_insert(1);
    if (pthread_create(&a, NULL, inserter, NULL) != 0 || pthread_create(&b, NULL, remover, &removed) != 0)
        abort();
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    for (int key = 0; key < 6; key++)
        left += list_remove(key);
    assert(removed + left == 3);
    assert(head.next == NULL);
    return 0;
}
