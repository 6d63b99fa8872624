/* Memory, numbers and time. Allocation succeeds. What comes from outside is an input. */

/* Sizes of blocks are only kept in programs that resize them; blocks are found by address. */
enum { BLOCKS = 256 };
struct block {
    void *address;
    word size;
};
static struct block blocks[BLOCKS];

static void remember(void *address, word size)
{
    __ravel_atomic_begin();
    for (u32 i = 0; i < BLOCKS; i++) {
        if (__atomic_load_n(&blocks[i].address, RELAXED) == 0) {
            __atomic_store_n(&blocks[i].address, address, RELAXED);
            __atomic_store_n(&blocks[i].size, size, RELAXED);
            __ravel_atomic_end();
            return;
        }
    }
    __ravel_unsupported("more than 256 live blocks in a program that calls realloc");
}

/* The size of a block, which is forgotten. */
static word forget(void *address)
{
    __ravel_atomic_begin();
    for (u32 i = 0; i < BLOCKS; i++) {
        if (__atomic_load_n(&blocks[i].address, RELAXED) == address) {
            word size = __atomic_load_n(&blocks[i].size, RELAXED);
            __atomic_store_n(&blocks[i].address, 0, RELAXED);
            __ravel_atomic_end();
            return size;
        }
    }
    __ravel_atomic_end();
    return 0;
}

void *malloc(word size)
{
    void *address = __ravel_alloc(size, 0);
    if (__ravel_uses("realloc"))
        remember(address, size);
    return address;
}

void *calloc(word count, word size)
{
    void *address;
    if (size != 0 && count > (word)-1 / size)
        return 0;
    address = __ravel_alloc(count * size, 1);
    if (__ravel_uses("realloc"))
        remember(address, count * size);
    return address;
}

void free(void *address)
{
    if (__ravel_uses("realloc") && address)
        forget(address);
    __ravel_free(address);
}

void *realloc(void *old, word size)
{
    unsigned char *to;
    word n;
    if (!old)
        return malloc(size);
    n = forget(old);
    to = __ravel_alloc(size, 0);
    remember(to, size);
    for (word i = 0; i < n && i < size; i++)
        to[i] = ((unsigned char *)old)[i];
    __ravel_free(old);
    return to;
}

/* All objects begin at multiples of 16384, and at multiples of 2^32 where words have 64 bits. */
static int is_kept(word alignment)
{
    return alignment != 0 && (alignment & (alignment - 1)) == 0 && alignment <= 16384;
}

void *aligned_alloc(word alignment, word size)
{
    if (!is_kept(alignment))
        __ravel_unsupported("an alignment that is not a power of two up to 16384");
    return malloc(size);
}

void *memalign(word alignment, word size)
{
    return aligned_alloc(alignment, size);
}

void *valloc(word size)
{
    return malloc(size);
}

int posix_memalign(void **address, word alignment, word size)
{
    if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0)
        return EINVAL;
    *address = aligned_alloc(alignment, size);
    return 0;
}

int abs(int n)
{
    return n < 0 ? -n : n;
}

long labs(long n)
{
    return n < 0 ? -n : n;
}

long long llabs(long long n)
{
    return n < 0 ? -n : n;
}

long imaxabs(long n)
{
    return n < 0 ? -n : n;
}

/* Elements that compare equal come out in any order. */
void qsort(void *elements, word n, word size, int (*compare)(const void *, const void *))
{
    for (word sorted = 1; sorted < n; sorted++) {
        for (word at = sorted; at > 0; at--) {
            unsigned char *second = (unsigned char *)elements + at * size;
            unsigned char *first = second - size;
            int order = compare(first, second);
            if (order < 0 || (order == 0 && __ravel_input_int() != 0))
                break;
            for (word i = 0; i < size; i++) {
                unsigned char byte = first[i];
                first[i] = second[i];
                second[i] = byte;
            }
        }
    }
}

/* Which of several elements that compare equal is found is up to the library. */
void *bsearch(const void *key, const void *elements, word n, word size, int (*compare)(const void *, const void *))
{
    word low = 0;
    word high = n;
    while (low < high) {
        word middle = low + (high - low) / 2;
        const unsigned char *element = (const unsigned char *)elements + middle * size;
        int order = compare(key, element);
        if (order == 0)
            return (void *)element;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return 0;
}

static int is_space(int c)
{
    return c == ' ' || (c >= 9 && c <= 13);
}

long atol(const char *text)
{
    long n = 0;
    int is_negative = 0;
    while (is_space(*text))
        text++;
    if (*text == '-' || *text == '+')
        is_negative = *text++ == '-';
    while (*text >= '0' && *text <= '9')
        n = 10 * n + (*text++ - '0');
    return is_negative ? -n : n;
}

int atoi(const char *text)
{
    return (int)atol(text);
}

int isspace(int c)
{
    return is_space(c);
}

int isdigit(int c)
{
    return c >= '0' && c <= '9';
}

int islower(int c)
{
    return c >= 'a' && c <= 'z';
}

int isupper(int c)
{
    return c >= 'A' && c <= 'Z';
}

int isalpha(int c)
{
    return islower(c) || isupper(c);
}

int isalnum(int c)
{
    return isalpha(c) || isdigit(c);
}

int isxdigit(int c)
{
    return isdigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

int isprint(int c)
{
    return c >= 32 && c < 127;
}

int ffsll(long long n)
{
    for (int i = 0; i < 64; i++) {
        if (((u64)n >> i) & 1)
            return i + 1;
    }
    return 0;
}

int ffsl(long n)
{
    return ffsll(n);
}

int ffs(int n)
{
    return ffsll(n);
}

int tolower(int c)
{
    return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

int toupper(int c)
{
    return c >= 'a' && c <= 'z' ? c - 32 : c;
}

int rand(void)
{
    int n = __ravel_input_int();
    __ravel_assume(n >= 0);
    return n;
}

int rand_r(u32 *seed)
{
    *seed = (u32)__ravel_input_int();
    return rand();
}

long random(void)
{
    return rand();
}

long lrand48(void)
{
    return rand();
}

long time(long *to)
{
    long now = __ravel_input_long();
    __ravel_assume(now >= 0);
    if (to)
        *to = now;
    return now;
}

long clock(void)
{
    long now = __ravel_input_long();
    __ravel_assume(now >= -1);
    return now;
}

struct seconds {
    long whole;
    long part;
};

int clock_gettime(int clock, struct seconds *to)
{
    to->whole = __ravel_input_long();
    long part = __ravel_input_long();
    __ravel_assume(part >= 0 && part < 1000000000);
    to->part = part;
    return 0;
}

int timespec_get(struct seconds *to, int base)
{
    clock_gettime(0, to);
    return base;
}

int gettimeofday(struct seconds *to, void *zone)
{
    long part = __ravel_input_long();
    __ravel_assume(part >= 0 && part < 1000000);
    to->whole = __ravel_input_long();
    to->part = part;
    return 0;
}

/* A character, or the end. */
int getchar(void)
{
    int c = __ravel_input_int();
    __ravel_assume(c >= -1 && c <= 255);
    return c;
}

int getc(void *file)
{
    return getchar();
}

int fgetc(void *file)
{
    return getchar();
}

int getpid(void)
{
    return 4242;
}
