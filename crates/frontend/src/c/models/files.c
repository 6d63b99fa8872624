/* More of the system: what is known of files, folders, sockets, waiting for several of them, and memory by the page. */

/* Any bytes of a structure that the system fills in, or an error. */
static int fill_or_error(void *to, word size)
{
    if (zero_or_error())
        return -1;
    input_bytes(to, size);
    return 0;
}

enum { STAT = 144, FIRST_FCNTL = 0, DIRECTORY_ENTRY = 280, NAME_AT = 19, NAME_ROOM = 256 };

int stat(const char *path, void *to)
{
    read_text(path);
    return fill_or_error(to, STAT);
}

int lstat(const char *path, void *to)
{
    return stat(path, to);
}

int fstat(int file, void *to)
{
    return fill_or_error(to, STAT);
}

/* What it answers depends on what is asked; an argument that is a pointer is not looked at. */
enum { SET_FLAGS = 4 };

int fcntl(int file, int command, ...)
{
    int answer = __ravel_input_int();
    __ravel_assume(answer >= -1);
    if (answer < 0)
        set_error();
    if (command > SET_FLAGS)
        __ravel_unsupported("`fcntl` other than of flags");
    /* What it is told is not looked at: it is taken for O_NONBLOCK. */
    if (command == SET_FLAGS && answer >= 0)
        set_waiting(file, 0);
    return answer;
}

int dup2(int file, int to)
{
    u64 old;
    u64 bit = to >= 0 && to < N_FILES ? (u64)1 << to : 0;
    if (zero_or_error())
        return -1;
    if (bit == 0)
        __ravel_unsupported("`dup2` to a number of 64 or more");
    __ravel_rmw(&open_files, old, old | bit, RELAXED);
    note_replaced(bit);
    return to;
}

int ftruncate(int file, long size)
{
    return zero_or_error();
}

int fdatasync(int file)
{
    may_wait();
    return zero_or_error();
}

/* Locks of files keep processes apart, and threads that have opened a file for themselves; the second is not followed. */
int flock(int file, int how)
{
    if (__ravel_self() != 1)
        __ravel_unsupported("`flock` by another thread than the first");
    return zero_or_error();
}

int posix_fadvise(int file, long from, long n, int advice)
{
    return zero_or_number();
}

long pread(int file, void *to, word n, long at)
{
    return read(file, to, n);
}

long pwrite(int file, const void *from, word n, long at)
{
    return write(file, from, n);
}

struct piece {
    void *base;
    word size;
};

long writev(int file, const struct piece *pieces, int n)
{
    word sum = 0;
    if (where_it_goes(file) != 0)
        __ravel_unsupported("`writev` to a file that the program reads itself");
    for (int i = 0; i < n; i++) {
        read_bytes(pieces[i].base, pieces[i].size);
        sum += pieces[i].size;
    }
    return count_or_error(sum);
}

long readv(int file, const struct piece *pieces, int n)
{
    word sum = 0;
    if (what_it_reads(file) != NOTHING)
        __ravel_unsupported("`readv` of a file that the program writes itself");
    for (int i = 0; i < n; i++)
        sum += pieces[i].size;
    long taken = count_or_error(sum);
    word left = taken > 0 ? (word)taken : 0;
    for (int i = 0; i < n && left > 0; i++) {
        word part = pieces[i].size < left ? pieces[i].size : left;
        input_bytes(pieces[i].base, part);
        left -= part;
    }
    return taken;
}

int accept4(int file, void *address, u32 *size, int flags)
{
    return accept(file, address, size);
}

int getsockname(int file, void *address, u32 *size)
{
    if (zero_or_error())
        return -1;
    write_address(address, size);
    return 0;
}

int getpeername(int file, void *address, u32 *size)
{
    return getsockname(file, address, size);
}

int getsockopt(int file, int level, int name, void *value, u32 *size)
{
    u32 room = *size;
    u32 n = (u32)__ravel_input_int();
    if (zero_or_error())
        return -1;
    __ravel_assume(n <= room);
    input_bytes(value, n);
    *size = n;
    return 0;
}

unsigned short htons(unsigned short n)
{
    return __builtin_bswap16(n);
}

unsigned short ntohs(unsigned short n)
{
    return __builtin_bswap16(n);
}

u32 htonl(u32 n)
{
    return __builtin_bswap32(n);
}

u32 ntohl(u32 n)
{
    return __builtin_bswap32(n);
}

/* Four decimal numbers with points between them, as bytes in order; the length of the text if it is one, else 0. */
static word read_quad(const char *text, unsigned char *to)
{
    word at = 0;
    for (int i = 0; i < 4; i++) {
        int n = 0;
        word start = at;
        while (text[at] >= '0' && text[at] <= '9' && at < start + 3) {
            n = 10 * n + (text[at] - '0');
            at++;
        }
        if (at == start || n > 255 || (at > start + 1 && text[start] == '0') || text[at] != (i < 3 ? '.' : 0))
            return 0;
        to[i] = (unsigned char)n;
        at++;
    }
    return at - 1;
}

/* Four decimal numbers are exact; other ways to write an address are not computed. */
u32 inet_addr(const char *text)
{
    u32 address = 0;
    read_text(text);
    return read_quad(text, (unsigned char *)&address) ? address : (u32)__ravel_approximate_int();
}

int inet_aton(const char *text, u32 *to)
{
    u32 address = 0;
    read_text(text);
    if (read_quad(text, (unsigned char *)&address)) {
        *to = address;
        return 1;
    }
    *to = (u32)__ravel_approximate_int();
    return __ravel_approximate_int() & 1;
}

int inet_pton(int family, const char *text, void *to)
{
    unsigned char address[4];
    if (family != 2 && family != 10)
        return fail_with(EAFNOSUPPORT);
    read_text(text);
    if (family == 2) {
        if (!read_quad(text, address))
            return 0;
        for (int i = 0; i < 4; i++)
            ((unsigned char *)to)[i] = address[i];
        return 1;
    }
    for (int i = 0; i < 16; i++)
        ((unsigned char *)to)[i] = __ravel_approximate_byte();
    return __ravel_approximate_int() & 1;
}

/* The text is not computed. It fails only where the room may be too small, or for another family of addresses. */
const char *inet_ntop(int family, const void *from, char *to, u32 room)
{
    u32 most = family == 2 ? 16 : 46;
    if (family != 2 && family != 10) {
        fail_with(EAFNOSUPPORT);
        return 0;
    }
    read_bytes(from, family == 2 ? 4 : 16);
    if (room < most && (room < (family == 2 ? 8 : 3) || __ravel_choice())) {
        fail_with(ENOSPC);
        return 0;
    }
    approximate_text(to, room < most ? room : most);
    return to;
}

void *opendir(const char *path)
{
    read_text(path);
    return new_stream();
}

int closedir(void *folder)
{
    may_wait_or_not();
    use_stream(folder);
    __ravel_end_static(folder);
    return zero_or_error();
}

/* An entry stays there; that the next one may take its place is not looked for. */
void *readdir(void *folder)
{
    /* Nobody guards it. */
    *(unsigned char *)folder = 0;
    if (__ravel_choice()) {
        if (__ravel_choice())
            set_error();
        return 0;
    }
    unsigned char *entry = __ravel_alloc_static(DIRECTORY_ENTRY);
    input_text((char *)entry + NAME_AT, NAME_ROOM);
    return entry;
}

/* Mappings that are there, with their sizes. */
enum { MAPPINGS = 32 };
static void *mapping_starts[MAPPINGS];
static word mapping_sizes[MAPPINGS];

static void *new_mapping(void *start, word size)
{
    __ravel_atomic_begin();
    for (u32 i = 0; i < MAPPINGS; i++) {
        if (__atomic_load_n(&mapping_starts[i], RELAXED) == 0) {
            __atomic_store_n(&mapping_starts[i], start, RELAXED);
            __atomic_store_n(&mapping_sizes[i], size, RELAXED);
            __ravel_atomic_end();
            return start;
        }
    }
    __ravel_unsupported("more than 32 mappings of memory");
    return 0;
}

/* Whether memory can be read and written, as all of it can here. */
static int is_open_memory(int protection)
{
    return (protection & 3) == 3;
}

/* Pages that belong to no file are new blocks of zeros. Those that cannot be both read and written are refused. */
void *mmap(void *at, word size, int protection, int flags, int file, long offset)
{
    if (!is_open_memory(protection))
        __ravel_unsupported("`mmap` of memory that cannot be both read and written");
    if (size == 0)
        return (void *)fail_with(EINVAL);
    if (__ravel_choice()) {
        set_error();
        return (void *)-1;
    }
    if (at)
        __ravel_unsupported("`mmap` at a certain address");
    if (flags & 32)
        return new_mapping(__ravel_alloc(size, 1), size);
    return new_mapping(__ravel_alloc(size, 0), size);
}

/* Only a whole mapping is given back. */
int munmap(void *at, word size)
{
    __ravel_atomic_begin();
    for (u32 i = 0; i < MAPPINGS; i++) {
        if (__atomic_load_n(&mapping_starts[i], RELAXED) == at && __atomic_load_n(&mapping_sizes[i], RELAXED) == size) {
            __atomic_store_n(&mapping_starts[i], 0, RELAXED);
            __ravel_atomic_end();
            __ravel_free(at);
            return 0;
        }
    }
    __ravel_unsupported("`munmap` of what is no whole mapping");
    return 0;
}

int madvise(void *at, word size, int advice)
{
    return zero_or_error();
}

int mlock(const void *at, word size)
{
    return zero_or_error();
}

int mprotect(void *at, word size, int protection)
{
    if (!is_open_memory(protection))
        __ravel_unsupported("`mprotect` that takes rights away");
    return zero_or_error();
}

int msync(void *at, word size, int flags)
{
    may_wait();
    return zero_or_error();
}

/* The first mask is chosen before the process starts. */
extern u32 __file_mask;

u32 umask(u32 mask)
{
    u32 old;
    __ravel_rmw(&__file_mask, old, mask & 511, RELAXED);
    return old & 511;
}

int getrlimit(int what, u64 *to)
{
    return fill_or_error(to, 2 * sizeof(u64));
}

int setrlimit(int what, const u64 *limit)
{
    (void)limit[0];
    (void)limit[1];
    return zero_or_error();
}

int getrusage(int who, void *to)
{
    return fill_or_error(to, 18 * sizeof(long));
}

int getpagesize(void)
{
    return 4096;
}

/* The first thread has the number of the process, and the others have the next ones. */
int gettid(void)
{
    int number = getpid();
    int mine = (int)((u32)__ravel_self() - 1 + (u32)number);
    __ravel_assume(mine > 0);
    return mine;
}

int sched_getcpu(void)
{
    int number = __ravel_input_int();
    __ravel_assume(number >= -1 && number < 4096);
    return number;
}

int sched_setaffinity(int process, word size, const void *set)
{
    read_bytes(set, size);
    return zero_or_error();
}

int nice(int by)
{
    return __ravel_input_int();
}

long readlink(const char *path, char *to, word room)
{
    read_text(path);
    long n = count_or_error(room);
    if (n > 0)
        input_bytes(to, (word)n);
    return n;
}

/* The last six characters of the name, which are X, become others, whether there is a file then or not. */
int mkstemp(char *path)
{
    may_wait_or_not();
    word n = 0;
    while (path[n] != 0)
        n++;
    if (n < 6)
        return fail_with(EINVAL);
    for (word i = n - 6; i < n; i++)
        if (path[i] != 'X')
            return fail_with(EINVAL);
    for (word i = n - 6; i < n; i++) {
        char c = (char)__ravel_input_byte();
        __ravel_assume((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'));
        path[i] = c;
    }
    return new_file();
}

long getrandom(void *to, word n, u32 flags)
{
    long taken = count_or_error(n);
    if (taken > 0)
        input_bytes(to, (word)taken);
    return taken;
}

int pthread_attr_getstacksize(const u32 *attributes, word *size)
{
    word n = (word)__ravel_input_long();
    __ravel_assume(n >= 16384);
    *size = n;
    return 0;
}

int pthread_getaffinity_np(word thread, word size, void *set)
{
    input_bytes(set, size);
    return 0;
}
