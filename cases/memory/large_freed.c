// expect: unsafe at 10
// options: --data-model ilp32
// why: the object is larger than a granule of addresses, and its far end ends with it
void *malloc(unsigned size);
void free(void *block);
int main(void) {
    char *text = malloc(40000);
    text[39000] = 'a';
    free(text);
    text[39000] = 'b';
    return 0;
}
