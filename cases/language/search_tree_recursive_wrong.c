// expect: unsafe at 55
// property: basic
// Two keys are put where they do not belong, which recursive functions build and notice.
#include <assert.h>
#include <stdlib.h>

struct node {
    int key;
    struct node *left, *right;
};

static struct node *insert(struct node *tree, int key)
{
    if (!tree) {
        tree = calloc(1, sizeof *tree);
        tree->key = key;
    } else if (key < 7) {
        tree->left = insert(tree->left, key);
    } else {
        tree->right = insert(tree->right, key);
    }
    return tree;
}

static int count(const struct node *tree)
{
    return tree ? count(tree->left) + 1 + count(tree->right) : 0;
}

static int is_ordered(const struct node *tree, int low, int high)
{
    if (!tree)
        return 1;
    if (tree->key < low || tree->key > high)
        return 0;
    return is_ordered(tree->left, low, tree->key) && is_ordered(tree->right, tree->key, high);
}

static void release(struct node *tree)
{
    if (tree) {
        release(tree->left);
        release(tree->right);
        free(tree);
    }
}

int main(void)
{
    static const int keys[] = {4, 2, 6, 1, 7};
    struct node *tree = 0;
    for (int i = 0; i < 5; i++)
        tree = insert(tree, keys[i]);
    assert(count(tree) == 5);
    assert(is_ordered(tree, 0, 10));
    release(tree);
    return 0;
}
