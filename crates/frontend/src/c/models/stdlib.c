/* Memory, numbers and characters. Whether allocation can fail is decided where these are called; see calls/results.rs. */

/* Sizes of blocks are only kept in programs that resize them; blocks are found by address. That an address is noted here does not keep a block from being lost: the name says so
   (`Object::is_note`). */
enum { BLOCKS = 256 };
struct block {
    void *address;
    word size;
};
static struct block __ravel_noted_blocks[BLOCKS];

static void remember(void *address, word size)
{
    __ravel_atomic_begin();
    for (u32 i = 0; i < BLOCKS; i++) {
        if (__atomic_load_n(&__ravel_noted_blocks[i].address, RELAXED) == 0) {
            __atomic_store_n(&__ravel_noted_blocks[i].address, address, RELAXED);
            __atomic_store_n(&__ravel_noted_blocks[i].size, size, RELAXED);
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
        if (__atomic_load_n(&__ravel_noted_blocks[i].address, RELAXED) == address) {
            word size = __atomic_load_n(&__ravel_noted_blocks[i].size, RELAXED);
            __atomic_store_n(&__ravel_noted_blocks[i].address, 0, RELAXED);
            __ravel_atomic_end();
            return size;
        }
    }
    __ravel_atomic_end();
    return 0;
}

void *malloc(word size)
{
    void *address;
    if (size == 0 && __ravel_choice())
        return 0;
    address = __ravel_alloc(size, 0);
    if (__ravel_uses("realloc"))
        remember(address, size);
    return address;
}

void *calloc(word count, word size)
{
    void *address;
    if (size != 0 && count > (word)-1 / size) {
        if (__ravel_uses("__errno_location"))
            *__errno_location() = ENOMEM;
        return 0;
    }
    if (count * size == 0 && __ravel_choice())
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

static void end(void *block)
{
    __ravel_free(block);
}

/* The one call of __ravel_free within it ends what has moved: the new block may have its address. */
void *realloc(void *old, word size)
{
    unsigned char *to;
    word n;
    if (!old)
        return malloc(size);
    n = forget(old);
    if (size == 0 && __ravel_choice()) {
        end(old);
        return 0;
    }
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
    if (alignment <= sizeof(word) * 2)
        return malloc(size);
    void *address;
    if (alignment >= 4096)
        address = __ravel_alloc_aligned(size, 4096);
    else if (alignment >= 64)
        address = __ravel_alloc_aligned(size, 64);
    else
        address = __ravel_alloc(size, 0);
    if (__ravel_uses("realloc"))
        remember(address, size);
    return address;
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
        if (order == 0) {
            const unsigned char *first = elements;
            while (element > first && __ravel_choice() && compare(key, element - size) == 0)
                element -= size;
            while (element + size < first + n * size && __ravel_choice() && compare(key, element + size) == 0)
                element += size;
            return (void *)element;
        }
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

static u64 any_number(void)
{
    return (u64)(u32)__ravel_input_int() << 32 | (u32)__ravel_input_int();
}

/* The number that a text begins with; any if it is greater than `most`, or less than what is below minus that. */
static u64 decimal(const char *text, u64 most)
{
    u64 n = 0;
    int is_negative = 0;
    int is_beyond = 0;
    while (is_space(*text))
        text++;
    if (*text == '-' || *text == '+')
        is_negative = *text++ == '-';
    if (is_negative)
        most++;
    while (*text >= '0' && *text <= '9') {
        u32 digit = (u32)(*text++ - '0');
        if (n > most / 10 || n * 10 > most - digit)
            is_beyond = 1;
        n = 10 * n + digit;
    }
    if (is_beyond)
        return any_number();
    return is_negative ? -n : n;
}

int atoi(const char *text)
{
    return (int)decimal(text, 0x7fffffff);
}

long atol(const char *text)
{
    return (long)decimal(text, (word)-1 >> 1);
}

long long atoll(const char *text)
{
    return (long long)decimal(text, (u64)-1 >> 1);
}

static u32 digit_of(int c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'Z')
        return c - 'A' + 10;
    return 99;
}

/* Where a number of at most `left` characters ends; its beginning if there is none. */
static const char *number_end(const char *at, u32 base, word left)
{
    const char *start = at;
    if (left > 0 && (*at == '-' || *at == '+')) {
        at++;
        left--;
    }
    if ((base == 0 || base == 16) && left > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X') && digit_of(at[2]) < 16) {
        at += 2;
        left -= 2;
        base = 16;
    } else if (base == 0) {
        base = left > 0 && *at == '0' ? 8 : 10;
    }
    const char *digits = at;
    while (left > 0 && digit_of(*at) < base) {
        at++;
        left--;
    }
    return at == digits ? start : at;
}

/* The value of a number, at most `most` or, if negative, `least`; both are the same for unsigned numbers. One that is beyond either is
 * that bound or, to functions that leave it undefined, any. */
static u64 number_value(const char *at, const char *end, u32 base, u64 most, u64 least, int is_bounded)
{
    u64 n = 0;
    int is_negative;
    u64 limit;
    if (at == end)
        return 0;
    is_negative = *at == '-';
    limit = is_negative ? least : most;
    if (*at == '-' || *at == '+')
        at++;
    if ((base == 0 || base == 16) && (word)end - (word)at > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) {
        at += 2;
        base = 16;
    } else if (base == 0) {
        base = *at == '0' ? 8 : 10;
    }
    for (; at != end; at++) {
        u32 digit = digit_of(*at);
        if (n > limit / base || n * base > limit - digit) {
            if (!is_bounded)
                return any_number();
            if (__ravel_uses("__errno_location"))
                *__errno_location() = ERANGE;
            return is_negative && most != least ? -limit : limit;
        }
        n = n * base + digit;
    }
    return is_negative ? -n : n;
}

static u64 parse_number(const char *text, char **end, int base, u64 most, u64 least)
{
    if (base < 0 || base == 1 || base > 36) {
        if (__ravel_uses("__errno_location"))
            *__errno_location() = EINVAL;
        return 0;
    }
    const char *start = text;
    while (is_space(*start))
        start++;
    const char *stop = number_end(start, (u32)base, (word)-1);
    if (end)
        *end = (char *)(stop == start ? text : stop);
    return number_value(start, stop, (u32)base, most, least, 1);
}

long strtol(const char *text, char **end, int base)
{
    word most = (word)-1 >> 1;
    return (long)parse_number(text, end, base, most, (u64)most + 1);
}

long long strtoll(const char *text, char **end, int base)
{
    u64 most = (u64)-1 >> 1;
    return (long long)parse_number(text, end, base, most, most + 1);
}

word strtoul(const char *text, char **end, int base)
{
    return (word)parse_number(text, end, base, (word)-1, (word)-1);
}

u64 strtoull(const char *text, char **end, int base)
{
    return parse_number(text, end, base, (u64)-1, (u64)-1);
}

long __isoc23_strtol(const char *text, char **end, int base)
{
    return strtol(text, end, base);
}

long long __isoc23_strtoll(const char *text, char **end, int base)
{
    return strtoll(text, end, base);
}

word __isoc23_strtoul(const char *text, char **end, int base)
{
    return strtoul(text, end, base);
}

u64 __isoc23_strtoull(const char *text, char **end, int base)
{
    return strtoull(text, end, base);
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

int isblank(int c)
{
    return c == ' ' || c == 9;
}

int isgraph(int c)
{
    return c > 32 && c < 127;
}

int iscntrl(int c)
{
    return (c >= 0 && c < 32) || c == 127;
}

int ispunct(int c)
{
    return isgraph(c) && !isalnum(c);
}

/* What glibc's macros look characters up in: those of the C locale, from -128 on. */
static const unsigned short classes[384] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    2, 2, 2, 2, 2, 2, 2, 2, 2, 8195, 8194, 8194, 8194, 8194, 2, 2,
    2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
    24577, 49156, 49156, 49156, 49156, 49156, 49156, 49156, 49156, 49156, 49156, 49156, 49156, 49156, 49156, 49156,
    55304, 55304, 55304, 55304, 55304, 55304, 55304, 55304, 55304, 55304, 49156, 49156, 49156, 49156, 49156, 49156,
    49156, 54536, 54536, 54536, 54536, 54536, 54536, 50440, 50440, 50440, 50440, 50440, 50440, 50440, 50440, 50440,
    50440, 50440, 50440, 50440, 50440, 50440, 50440, 50440, 50440, 50440, 50440, 49156, 49156, 49156, 49156, 49156,
    49156, 54792, 54792, 54792, 54792, 54792, 54792, 50696, 50696, 50696, 50696, 50696, 50696, 50696, 50696, 50696,
    50696, 50696, 50696, 50696, 50696, 50696, 50696, 50696, 50696, 50696, 50696, 49156, 49156, 49156, 49156, 2,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
};
static const unsigned short *const class_of = classes + 128;

const void *__ctype_b_loc(void)
{
    return &class_of;
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

void srand(u32 seed)
{
}

void srandom(u32 seed)
{
}

/* The state of the numbers with 48 bits; nobody guards it. */
static u32 state48;

static void use_state48(void)
{
    state48 = 1;
}

void srand48(long seed)
{
    use_state48();
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
    use_state48();
    return rand();
}
