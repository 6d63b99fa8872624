// expect: safe
// why: the value of a statement expression is a copy, which lives as long as what it is part of, whatever becomes of the block
#include <assert.h>

struct pair {
  int one, other;
};

static struct pair swapped(struct pair of) {
  return ({
    struct pair made = {of.other, of.one};
    made;
  });
}

static int sum(struct pair of) { return of.one + of.other; }

int main(void) {
  struct pair kept = {1, 2};
  struct pair copy = ({
    struct pair inner = kept;
    inner.one += 4;
    inner;
  });
  assert(copy.one == 5 && copy.other == 2 && kept.one == 1);
  copy = swapped(copy);
  assert(copy.one == 2 && copy.other == 5);
  int total = 0;
  for (int i = 0; i < 3; i++)
    total += sum(({
      struct pair both = {i, 10 * i};
      swapped(both);
    }));
  assert(total == 33);
  assert(({ kept; }).other == 2);
  assert((total > 0 ? ({ struct pair high = {7, 8}; high; }) : kept).other == 8);
  return 0;
}
