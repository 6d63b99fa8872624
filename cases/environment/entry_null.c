// expect: unsafe at 5
// property: memsafety
// options: --entry first

int first(int *place) { return *place; }
