// expect: safe
// why: a binary tree under a read-write lock: inserts write, lookups read; freed by recursion at the end
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct tree_node {
    int key;
    struct tree_node *left, *right;
};

struct tree {
    pthread_rwlock_t lock;
    struct tree_node *root;
    size_t size;
};

static struct tree tree = { .lock = PTHREAD_RWLOCK_INITIALIZER };

static bool tree_insert(struct tree *t, int key)
{
    struct tree_node *n = malloc(sizeof *n), **p;

    if (n == NULL)
        abort();
    n->key = key;
    n->left = n->right = NULL;
    pthread_rwlock_wrlock(&t->lock);
    for (p = &t->root; *p != NULL && (*p)->key != key;)
        p = key < (*p)->key ? &(*p)->left : &(*p)->right;
    if (*p == NULL) {
        *p = n;
        t->size++;
        n = NULL;
    }
    pthread_rwlock_unlock(&t->lock);
    bool fresh = n == NULL;
    free(n);
    return fresh;
}

static bool tree_contains(struct tree *t, int key)
{
    pthread_rwlock_rdlock(&t->lock);
    const struct tree_node *n = t->root;
    while (n != NULL && n->key != key)
        n = key < n->key ? n->left : n->right;
    pthread_rwlock_unlock(&t->lock);
    return n != NULL;
}

static void tree_free(struct tree_node *n)
{
    if (n == NULL)
        return;
    tree_free(n->left);
    tree_free(n->right);
    free(n);
}

static void *writer(void *arg)
{
    const int *keys = arg;
    for (int i = 0; i < 2; i++) {
        tree_insert(&tree, keys[i]);
        assert(tree_contains(&tree, keys[i]));
    }
    return NULL;
}

int main(void)
{
    static int keys[2][2] = { { 5, 2 }, { 5, 9 } };
    pthread_t t[2];

    for (int i = 0; i < 2; i++)
        if (pthread_create(&t[i], NULL, writer, keys[i]) != 0)
            abort();
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(tree.size == 3);
    tree_free(tree.root);
    pthread_rwlock_destroy(&tree.lock);
    return 0;
}
