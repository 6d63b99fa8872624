/* A bounded buffer of four slots between two producers and two consumers, with semaphores, for ever. */
#define SIZE 4

byte slot[SIZE], head, tail, items, space = SIZE, m;

active [2] proctype producer() {
    byte v;
    do
    :: d_step { space > 0 -> space-- };
       d_step { m == 0 -> m = 1 };
       v = head;
       slot[v] = _pid + 1;
       v = head;
       head = (v + 1) % SIZE;
       m = 0;
       items++
    od
}

active [2] proctype consumer() {
    byte v, got;
    do
    :: d_step { items > 0 -> items-- };
       d_step { m == 0 -> m = 1 };
       v = tail;
       got = slot[v];
       v = tail;
       tail = (v + 1) % SIZE;
       m = 0;
       assert(got == 1 || got == 2);
       space++
    od
}
