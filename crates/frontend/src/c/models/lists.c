/* Formats with a list of arguments, which are read when they run; see lower/calls/text/lists.rs. */

struct slot {
    u64 number;
    u64 pointer;
};

static int is_size_letter(char c)
{
    return c == 'h' || c == 'l' || c == 'q' || c == 'j' || c == 'z' || c == 't' || c == 'L';
}

static int is_flag(char c)
{
    return c == '-' || c == '+' || c == ' ' || c == '#' || c == '0' || c == '\'';
}

/* A precision starts with a point; it is written there, or the next argument. */
static int precision_of(const char *format, const struct slot *list)
{
    int precision = 0;
    if (format[1] == '*')
        return *(const int *)&list->number;
    for (word i = 1; format[i] >= '0' && format[i] <= '9'; i++)
        precision = 10 * precision + (format[i] - '0');
    return precision;
}

static word precision_length(const char *format)
{
    word n = 1;
    if (format[1] == '*')
        return 2;
    while (format[n] >= '0' && format[n] <= '9')
        n++;
    return n;
}

/* What vprintf does besides printing: it reads texts, and writes a number of characters. */
static void read_list_format(const char *format, const struct slot *list)
{
    word i = 0;
    while (format[i] != 0) {
        int precision = -1;
        if (format[i] != '%') {
            i++;
            continue;
        }
        i++;
        while (is_flag(format[i]) || (format[i] >= '0' && format[i] <= '9'))
            i++;
        if (format[i] == '*') {
            (void)*(const int *)&list->number;
            list++;
            i++;
        }
        if (format[i] == '.') {
            precision = precision_of(format + i, list);
            list += format[i + 1] == '*';
            i += precision_length(format + i);
        }
        if (format[i] == '$')
            __ravel_unsupported("a format that numbers its arguments");
        char size = is_size_letter(format[i]) ? format[i] : 0;
        while (is_size_letter(format[i]))
            i++;
        char letter = format[i];
        if (letter == 0)
            return;
        i++;
        if (letter == '%' || letter == 'm')
            continue;
        if (letter == 'n' || letter == 'S' || letter == 'C' || ((letter == 's' || letter == 'c') && size == 'l') || size == 'L')
            __ravel_unsupported("a format in a list with `%n`, wide characters or long doubles");
        if (letter == 's') {
            const char *text = *(const char *const *)&list->pointer;
            if (precision >= 0)
                read_text_up_to(text, (word)precision);
            else
                read_text(text);
        } else if (letter == 'p') {
            (void)*(const word *)&list->pointer;
        } else {
            (void)*(const int *)&list->number;
        }
        list++;
    }
}

static u64 list_number(const struct slot *list, word size, int is_signed)
{
    if (size == 8)
        return list->number;
    if (size == 4)
        return is_signed ? (u64)(long long)*(const int *)&list->number : *(const u32 *)&list->number;
    if (size == 2)
        return is_signed ? (u64)(long long)(short)*(const int *)&list->number : (unsigned short)*(const int *)&list->number;
    return is_signed ? (u64)(long long)(signed char)*(const int *)&list->number : (unsigned char)*(const int *)&list->number;
}

/* How many bytes a number has, by the letters before the conversion. */
static word list_size(const char *letters)
{
    if (letters[0] == 'h')
        return letters[1] == 'h' ? 1 : 2;
    if (letters[0] == 'l')
        return letters[1] == 'l' ? 8 : sizeof(long);
    if (letters[0] == 'z' || letters[0] == 't')
        return sizeof(word);
    if (letters[0] == 'j' || letters[0] == 'q')
        return 8;
    return 4;
}

/* The text itself; -1 for what is not made exactly. */
static word put_list_format(char *to, word room, const char *format, const struct slot *list)
{
    word at = 0;
    word i = 0;
    while (format[i] != 0) {
        int is_left = 0;
        int is_zero = 0;
        int is_other = 0;
        int plus = 0;
        int width = 0;
        int precision = -1;
        if (format[i] != '%') {
            at = put(to, room, at, format[i]);
            i++;
            continue;
        }
        i++;
        while (is_flag(format[i])) {
            is_left |= format[i] == '-';
            is_zero |= format[i] == '0';
            is_other |= format[i] == '#';
            if (format[i] == '+')
                plus = '+';
            if (format[i] == ' ' && plus == 0)
                plus = ' ';
            i++;
        }
        if (format[i] == '*') {
            width = *(const int *)&list->number;
            list++;
            i++;
        }
        while (format[i] >= '0' && format[i] <= '9') {
            width = 10 * width + (format[i] - '0');
            i++;
        }
        if (width < 0) {
            is_left = 1;
            width = -width;
        }
        if (format[i] == '.') {
            precision = precision_of(format + i, list);
            list += format[i + 1] == '*';
            i += precision_length(format + i);
        }
        word size = list_size(format + i);
        int is_wide = format[i] == 'l';
        if (format[i] == 'L' || format[i] == '$')
            return (word)-1;
        while (is_size_letter(format[i]))
            i++;
        char letter = format[i];
        if (letter == 0)
            return (word)-1;
        i++;
        if (letter == '%') {
            at = put(to, room, at, '%');
            continue;
        }
        if (letter == 's' && !is_wide) {
            word limit = precision >= 0 ? (word)precision : (word)-1;
            at = put_padded(to, room, at, *(const char *const *)&list->pointer, limit, (word)width, is_left);
        } else if (letter == 'c' && !is_wide) {
            if (!is_left && width > 1)
                at = put_many(to, room, at, ' ', (word)width - 1);
            at = put(to, room, at, *(const int *)&list->number);
            if (is_left && width > 1)
                at = put_many(to, room, at, ' ', (word)width - 1);
        } else if (letter == 'd' || letter == 'i') {
            u64 n = list_number(list, size, 1);
            int sign = (long long)n < 0 ? '-' : plus;
            if ((long long)n < 0)
                n = 0 - n;
            at = put_number(to, room, at, n, 10000000000000000000u, 10, 0, sign, 0, width, precision, is_left, is_zero);
        } else if (letter == 'u') {
            u64 n = list_number(list, size, 0);
            at = put_number(to, room, at, n, 10000000000000000000u, 10, 0, 0, 0, width, precision, is_left, is_zero);
        } else if (letter == 'x' || letter == 'X') {
            u64 n = list_number(list, size, 0);
            at = put_number(to, room, at, n, (u64)1 << 60, 16, letter == 'X', 0, is_other ? letter : 0, width, precision, is_left, is_zero);
        } else if (letter == 'o') {
            u64 n = list_number(list, size, 0);
            at = put_number(to, room, at, n, (u64)1 << 63, 8, 0, 0, is_other ? '0' : 0, width, precision, is_left, is_zero);
        } else if (letter == 'p' && width == 0) {
            (void)*(const word *)&list->pointer;
            at = put_address(to, room, at);
        } else {
            return (word)-1;
        }
        list++;
    }
    return at;
}
