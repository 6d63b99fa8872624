/* Texts that printf makes and scanf reads, piece by piece; calls/print.rs and calls/scan.rs put the pieces together.
 *
 * A text being made has a target, room for so many bytes (0 if only its length matters), and a length so far. */

static word put(char *to, word room, word at, int c)
{
    if (at + 1 < room)
        to[at] = (char)c;
    return at + 1;
}

static word put_many(char *to, word room, word at, int c, word n)
{
    if (room == 0)
        return at + n;
    for (word i = 0; i < n; i++)
        at = put(to, room, at, c);
    return at;
}

/* A text up to its end or a limit. */
static word put_text(char *to, word room, word at, const char *from, word limit)
{
    word n = 0;
    while (n < limit) {
        char c = from[n];
        n++;
        if (c == 0)
            break;
        at = put(to, room, at, c);
    }
    if (room > 0)
        are_apart(to, at < room ? at : room, from, n);
    return at;
}

/* Likewise, filled up with spaces. */
static word put_padded(char *to, word room, word at, const char *from, word limit, word width, int is_left)
{
    word n = 0;
    while (n < limit && from[n] != 0)
        n++;
    if (!is_left && n < width)
        at = put_many(to, room, at, ' ', width - n);
    at = put_text(to, room, at, from, n);
    if (is_left && n < width)
        at = put_many(to, room, at, ' ', width - n);
    return at;
}

static int digit_letter(u32 digit, int is_upper)
{
    return digit < 10 ? '0' + digit : (is_upper ? 'A' : 'a') + (digit - 10);
}

/* Digits from the highest power of the base that fits; powers are constants wherever the loop is unrolled. */
static word put_digits(char *to, word room, word at, u32 n, u32 power, u32 base, int is_upper)
{
    int is_on = 0;
    for (; power > 0; power /= base) {
        u32 digit = n / power;
        n -= digit * power;
        if (digit != 0 || is_on || power == 1) {
            is_on = 1;
            at = put(to, room, at, digit_letter(digit, is_upper));
        }
    }
    return at;
}

static word put_long_digits(char *to, word room, word at, u64 n, u64 power, u32 base, int is_upper)
{
    int is_on = 0;
    for (; power > 0; power /= base) {
        u64 digit = n / power;
        n -= digit * power;
        if (digit != 0 || is_on || power == 1) {
            is_on = 1;
            at = put(to, room, at, digit_letter((u32)digit, is_upper));
        }
    }
    return at;
}

/* How many digits a number has. */
static word count_digits(u64 n, u32 base)
{
    u64 power = base;
    word count = 1;
    while (n >= power) {
        count++;
        if (power > (u64)-1 / base)
            break;
        power *= base;
    }
    return count;
}

/* A number with everything that a conversion can ask for; signs and prefixes are characters, 0 for none. A precision of -1 is none. */
static word put_number(char *to, word room, word at, u64 n, u64 power, u32 base, int is_upper, int sign, int prefix,
                       int width, int precision, int is_left, int is_zero)
{
    word digits = n == 0 && precision == 0 ? 0 : count_digits(n, base);
    word zeros = 0;
    word length;
    word fill = 0;
    if (width < 0) {
        is_left = 1;
        width = -width;
    }
    if (precision > 0 && (word)precision > digits)
        zeros = (word)precision - digits;
    if (prefix == '0' && zeros == 0 && (n != 0 || digits == 0))
        zeros = 1;
    if (prefix == '0' || n == 0)
        prefix = 0;
    length = digits + zeros + (sign != 0) + (prefix ? 2 : 0);
    if ((word)width > length)
        fill = (word)width - length;
    if (is_zero && !is_left && precision < 0) {
        zeros += fill;
        fill = 0;
    }
    if (!is_left)
        at = put_many(to, room, at, ' ', fill);
    if (sign)
        at = put(to, room, at, sign);
    if (prefix) {
        at = put(to, room, at, '0');
        at = put(to, room, at, prefix);
    }
    at = put_many(to, room, at, '0', zeros);
    if (digits > 0)
        at = put_long_digits(to, room, at, n, power, base, is_upper);
    if (is_left)
        at = put_many(to, room, at, ' ', fill);
    return at;
}

/* An address in the way of the implementation: some printing characters, which nothing that goes wrong may hang on. */
static word put_address(char *to, word room, word at)
{
    word n = 1 + (word)__ravel_approximate_byte() % (2 + 2 * sizeof(word));
    for (word i = 0; i < n; i++)
        at = put(to, room, at, ' ' + 1 + __ravel_approximate_byte() % 94);
    return at;
}

/* The end of a text being made; yields its length. */
static int put_end(char *to, word room, word length)
{
    if (room > 0)
        to[length < room ? length : room - 1] = 0;
    return (int)length;
}

/* A format that is not a literal: the text is known only when it runs. Yields -1 if it has conversions. */
static word put_format(char *to, word room, word at, const char *format)
{
    for (word i = 0; format[i] != 0; i++) {
        if (format[i] == '%') {
            i++;
            if (format[i] != '%')
                return (word)-1;
        }
        at = put(to, room, at, format[i]);
    }
    return at;
}

/* Likewise where only what it reads matters. Yields whether it has conversions that touch memory. */
static int read_format(const char *format)
{
    word i = 0;
    while (format[i] != 0) {
        if (format[i] != '%') {
            i++;
            continue;
        }
        i++;
        for (;;) {
            char c = format[i];
            if (c == '-' || c == '+' || c == ' ' || c == '#' || c == '.' || c == '*' || c == '\'' || (c >= '0' && c <= '9'))
                i++;
            else if (c == 'h' || c == 'l' || c == 'L' || c == 'q' || c == 'j' || c == 'z' || c == 't')
                i++;
            else
                break;
        }
        char letter = format[i];
        if (letter == 0 || letter == 's' || letter == 'n' || letter == 'S' || letter == '$')
            return 1;
        i++;
    }
    return 0;
}

static const char *skip_spaces(const char *at)
{
    while (is_space(*at))
        at++;
    return at;
}

/* Where the text ends that a conversion takes: at a space, or after so many characters. */
static const char *word_end(const char *at, word width)
{
    while (width > 0 && *at != 0 && !is_space(*at)) {
        at++;
        width--;
    }
    return at;
}

/* Likewise of characters that are in a set, or are not. */
static const char *set_end(const char *at, const char *set, int is_other, word width)
{
    while (width > 0 && *at != 0) {
        int is_in = 0;
        for (word i = 0; set[i] != 0; i++)
            is_in |= set[i] == *at;
        if (is_in == is_other)
            break;
        at++;
        width--;
    }
    return at;
}

/* Likewise of any characters; the beginning if there are too few. */
static const char *chars_end(const char *at, word width)
{
    const char *end = at;
    while (width > 0) {
        if (*end == 0)
            return at;
        end++;
        width--;
    }
    return end;
}

static void take_chars(char *to, const char *from, const char *end)
{
    for (; from != end; from++, to++)
        *to = *from;
}

static void take_text(char *to, const char *from, const char *end)
{
    word n = (word)end - (word)from;
    are_apart(to, n + 1, from, n);
    for (; from != end; from++, to++)
        *to = *from;
    *to = 0;
}

/* What comes from outside: a text without spaces. */
static void input_word(char *to, word width)
{
    word i = 0;
    do {
        char c = (char)__ravel_input_byte();
        __ravel_assume(c != 0 && !is_space(c));
        to[i] = c;
        i++;
    } while (i < width && __ravel_choice());
    to[i] = 0;
}

static void input_set(char *to, const char *set, int is_other, word width)
{
    word i = 0;
    do {
        int is_in = 0;
        char c = (char)__ravel_input_byte();
        for (word k = 0; set[k] != 0; k++)
            is_in |= set[k] == c;
        __ravel_assume(c != 0 && is_in != is_other);
        to[i] = c;
        i++;
    } while (i < width && __ravel_choice());
    to[i] = 0;
}

static void input_bytes(void *to, word n)
{
    for (word i = 0; i < n; i++)
        ((unsigned char *)to)[i] = __ravel_input_byte();
}
