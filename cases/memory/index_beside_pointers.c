// expect: safe
// property: basic
// A table with an array of locks before an array of pointers and counters behind it, as many programs have: which index reaches what is a matter of checks, and no
// number is read where pointers are.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    char key[8];
    struct entry *next;
};

struct table {
    struct {
        int taken;
        char rest[36];
    } locks[2];
    struct entry *buckets[4];
    size_t n;
    unsigned hits;
};

static struct table table;

static unsigned hash(const char *key)
{
    unsigned sum = 0;
    while (*key)
        sum = 31 * sum + (unsigned char)*key++;
    return sum % 4;
}

static struct entry *find(struct table *in, const char *key)
{
    for (struct entry *entry = in->buckets[hash(key)]; entry; entry = entry->next)
        if (strcmp(entry->key, key) == 0) {
            in->hits++;
            return entry;
        }
    return 0;
}

static void add(struct table *to, const char *key)
{
    unsigned bucket = hash(key);
    to->locks[bucket % 2].taken++;
    if (!find(to, key)) {
        struct entry *entry = calloc(1, sizeof *entry);
        strcpy(entry->key, key);
        entry->next = to->buckets[bucket];
        to->buckets[bucket] = entry;
        to->n++;
    }
    to->locks[bucket % 2].taken--;
}

int main(void)
{
    add(&table, "a");
    add(&table, "b");
    add(&table, "a");
    assert(table.n == 2);
    assert(table.hits == 1);
    assert(find(&table, "b") && !find(&table, "c"));
    assert(!table.locks[0].taken && !table.locks[1].taken);
    return 0;
}
