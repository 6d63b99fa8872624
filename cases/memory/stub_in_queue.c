// expect: safe
// property: basic
// A list whose stub lies in the queue itself, and whose items are found from their links: the link of the stub is no item's, which only an execution shows.
#include <assert.h>
#include <stddef.h>

struct link {
    struct link *next;
};

struct item {
    int payload;
    struct link link;
};

static struct {
    struct link *head;
    struct link stub;
} queue;

static struct item items[2] = {{1}, {2}};

static struct item *item_of(struct link *link)
{
    return (struct item *)((char *)link - offsetof(struct item, link));
}

int main(void)
{
    queue.head = &queue.stub;
    queue.stub.next = &items[1].link;
    items[1].link.next = &items[0].link;
    int sum = 0;
    for (struct link *link = queue.head; link; link = link->next)
        if (link != &queue.stub)
            sum += item_of(link)->payload;
    assert(sum == 3);
    return 0;
}
