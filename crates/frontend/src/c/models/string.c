/* Strings and memory, byte by byte. Copies of whole objects whose type is known do not come here. Comparisons yield -1, 0 or 1;
 * callers that look at more than the sign get any number of that sign (calls/results.rs). */

/* Whether two ranges of bytes have some in common. Those of different objects do not, wherever they lie. */
static int overlaps(const void *a, word n_a, const void *b, word n_b)
{
    return (word)a < (word)b + n_b && (word)b < (word)a + n_a;
}

static void copy(void *to, const void *from, word n)
{
    for (word i = 0; i < n; i++)
        ((unsigned char *)to)[i] = ((const unsigned char *)from)[i];
}

/* What is copied to itself, or to a place that overlaps it, is undefined but for memmove. */
static void are_apart(const void *to, word n_to, const void *from, word n_from)
{
    __ravel_undefined(n_to != 0 && n_from != 0 && overlaps(to, n_to, from, n_from));
}

void *memcpy(void *to, const void *from, word n)
{
    are_apart(to, n, from, n);
    copy(to, from, n);
    return to;
}

void *mempcpy(void *to, const void *from, word n)
{
    memcpy(to, from, n);
    return (char *)to + n;
}

void *memmove(void *to, const void *from, word n)
{
    if ((word)to <= (word)from) {
        copy(to, from, n);
        return to;
    }
    while (n > 0) {
        n--;
        ((unsigned char *)to)[n] = ((const unsigned char *)from)[n];
    }
    return to;
}

void *memset(void *to, int byte, word n)
{
    for (word i = 0; i < n; i++)
        ((unsigned char *)to)[i] = (unsigned char)byte;
    return to;
}

void bzero(void *to, word n)
{
    memset(to, 0, n);
}

int memcmp(const void *a, const void *b, word n)
{
    /* All bytes must be there, also behind the first that differ. */
    int result = 0;
    for (word i = 0; i < n; i++) {
        int x = ((const unsigned char *)a)[i];
        int y = ((const unsigned char *)b)[i];
        if (result == 0 && x != y)
            result = x < y ? -1 : 1;
    }
    return result;
}

void *memchr(const void *in, int byte, word n)
{
    for (word i = 0; i < n; i++) {
        if (((const unsigned char *)in)[i] == (unsigned char)byte)
            return (char *)in + i;
    }
    return 0;
}

word strlen(const char *text)
{
    word n = 0;
    while (text[n] != 0)
        n++;
    return n;
}

word strnlen(const char *text, word limit)
{
    word n = 0;
    while (n < limit && text[n] != 0)
        n++;
    return n;
}

char *strcpy(char *to, const char *from)
{
    word i = 0;
    char c;
    do {
        c = from[i];
        to[i] = c;
        i++;
    } while (c != 0);
    are_apart(to, i, from, i);
    return to;
}

char *stpcpy(char *to, const char *from)
{
    strcpy(to, from);
    return to + strlen(to);
}

char *strncpy(char *to, const char *from, word n)
{
    word i = 0;
    char c = 1;
    for (; i < n && c != 0; i++) {
        c = from[i];
        to[i] = c;
    }
    are_apart(to, n, from, i);
    for (; i < n; i++)
        to[i] = 0;
    return to;
}

char *strcat(char *to, const char *from)
{
    strcpy(to + strlen(to), from);
    return to;
}

char *strncat(char *to, const char *from, word n)
{
    char *end = to + strlen(to);
    word i = 0;
    for (; i < n && from[i] != 0; i++)
        end[i] = from[i];
    are_apart(end, i + 1, from, i < n ? i + 1 : n);
    end[i] = 0;
    return to;
}

int strncmp(const char *a, const char *b, word n)
{
    for (word i = 0; i < n; i++) {
        int x = (unsigned char)a[i];
        int y = (unsigned char)b[i];
        if (x != y)
            return x < y ? -1 : 1;
        if (x == 0)
            return 0;
    }
    return 0;
}

int strcmp(const char *a, const char *b)
{
    return strncmp(a, b, (word)-1);
}

int strcasecmp(const char *a, const char *b)
{
    for (word i = 0;; i++) {
        int x = tolower((unsigned char)a[i]);
        int y = tolower((unsigned char)b[i]);
        if (x != y)
            return x < y ? -1 : 1;
        if (x == 0)
            return 0;
    }
}

char *strchr(const char *text, int byte)
{
    for (;; text++) {
        char c = *text;
        if (c == (char)byte)
            return (char *)text;
        if (c == 0)
            return 0;
    }
}

char *strrchr(const char *text, int byte)
{
    const char *found = 0;
    for (;; text++) {
        char c = *text;
        if (c == (char)byte)
            found = text;
        if (c == 0)
            return (char *)found;
    }
}

char *index(const char *text, int byte)
{
    return strchr(text, byte);
}

char *rindex(const char *text, int byte)
{
    return strrchr(text, byte);
}

int bcmp(const void *a, const void *b, word n)
{
    return memcmp(a, b, n);
}

char *strstr(const char *text, const char *wanted)
{
    word n = strlen(wanted);
    for (;; text++) {
        if (strncmp(text, wanted, n) == 0)
            return (char *)text;
        if (*text == 0)
            return 0;
    }
}

word strspn(const char *text, const char *accepted)
{
    word n = 0;
    while (text[n] != 0 && strchr(accepted, text[n]))
        n++;
    return n;
}

word strcspn(const char *text, const char *refused)
{
    word n = 0;
    while (text[n] != 0 && !strchr(refused, text[n]))
        n++;
    return n;
}

char *strdup(const char *text)
{
    word n = strlen(text);
    char *block = malloc(n + 1);
    copy(block, text, n);
    block[n] = 0;
    return block;
}

char *strndup(const char *text, word limit)
{
    word n = strnlen(text, limit);
    char *block = malloc(n + 1);
    copy(block, text, n);
    block[n] = 0;
    return block;
}

int strncasecmp(const char *a, const char *b, word n)
{
    for (word i = 0; i < n; i++) {
        int x = tolower((unsigned char)a[i]);
        int y = tolower((unsigned char)b[i]);
        if (x != y)
            return x < y ? -1 : 1;
        if (x == 0)
            return 0;
    }
    return 0;
}

int strcoll(const char *a, const char *b)
{
    return strcmp(a, b);
}

char *strchrnul(const char *text, int byte)
{
    while (*text != 0 && *text != (char)byte)
        text++;
    return (char *)text;
}

void *memrchr(const void *in, int byte, word n)
{
    while (n > 0) {
        n--;
        if (((const unsigned char *)in)[n] == (unsigned char)byte)
            return (char *)in + n;
    }
    return 0;
}

char *strpbrk(const char *text, const char *wanted)
{
    for (; *text != 0; text++) {
        if (strchr(wanted, *text))
            return (char *)text;
    }
    return 0;
}

word strlcpy(char *to, const char *from, word room)
{
    word n = 0;
    for (; from[n] != 0; n++) {
        if (n + 1 < room)
            to[n] = from[n];
    }
    if (room > 0) {
        are_apart(to, n < room ? n + 1 : room, from, n + 1);
        to[n < room ? n : room - 1] = 0;
    }
    return n;
}

char *strtok_r(char *text, const char *between, char **rest)
{
    char *at = text ? text : *rest;
    char *end;
    at += strspn(at, between);
    if (*at == 0) {
        *rest = at;
        return 0;
    }
    end = at + strcspn(at, between);
    if (*end != 0) {
        *end = 0;
        end++;
    }
    *rest = end;
    return at;
}

/* Shared by all threads, and not guarded. */
static char *token_rest;

char *strtok(char *text, const char *between)
{
    return strtok_r(text, between, &token_rest);
}
