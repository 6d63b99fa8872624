// expect: unsafe at 57
// expect[race]: safe
// why: between two locks the node may be taken out of the list
#include <assert.h>
#include <pthread.h>

struct node { int key; struct node *next; pthread_mutex_t lock; };
static struct node head, a, b;

static void setup(void)
{
    pthread_mutex_init(&head.lock, 0);
    pthread_mutex_init(&a.lock, 0);
    pthread_mutex_init(&b.lock, 0);
    a.key = 1;
    b.key = 2;
    head.next = &a;
    a.next = &b;
}

static void cut(int key)
{
    struct node *before = &head;
    pthread_mutex_lock(&before->lock);
    struct node *at = before->next;
    while (at) {
        pthread_mutex_lock(&at->lock);
        if (at->key == key) {
            before->next = at->next;
            
            pthread_mutex_unlock(&at->lock);
            break;
        }
        pthread_mutex_unlock(&before->lock);
        before = at;
        at = at->next;
        pthread_mutex_unlock(&before->lock);
        pthread_mutex_lock(&before->lock);
    }
    pthread_mutex_unlock(&before->lock);
}

static void *remover(void *arg)
{
    cut((int)(long)arg);
    return 0;
}

int main(void)
{
    pthread_t s, t;
    setup();
    pthread_create(&s, 0, remover, (void *)1L);
    pthread_create(&t, 0, remover, (void *)2L);
    pthread_join(s, 0);
    pthread_join(t, 0);
    assert(head.next == 0);
    return 0;
}
