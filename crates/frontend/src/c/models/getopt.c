/* Options of the command line, as GNU's getopt finds them: texts that are no options are moved behind those that are, one call later than
 * they were passed over. Messages go nowhere. POSIXLY_CORRECT is not set. */

char *optarg;
int optind = 1;
int opterr = 1;
int optopt = '?';

struct long_option {
    const char *name;
    int takes;
    int *flag;
    int value;
};

/* The rest of a text of several letters, and the texts from the first one up to the last that were passed over. */
static char *option_rest;
static int first_plain;
static int last_plain;
static int is_begun;

static int is_plain_text(const char *text)
{
    return text[0] != '-' || text[1] == 0;
}

static int ends_options(const char *text)
{
    return text[0] == '-' && text[1] == '-' && text[2] == 0;
}

/* Moves the options that were found since before the texts that were passed over. */
static void move_plain_texts(char **list)
{
    int from = first_plain;
    int middle = last_plain;
    while (from < middle && middle < optind) {
        char *text = list[middle];
        for (int i = middle; i > from; i--)
            list[i] = list[i - 1];
        list[from] = text;
        from++;
        middle++;
    }
    first_plain += optind - last_plain;
    last_plain = optind;
}

/* 0: a text that begins with an option is at optind. Else what is returned. */
static int next_text(int count, char **list, char order)
{
    if (last_plain > optind)
        last_plain = optind;
    if (first_plain > optind)
        first_plain = optind;
    if (order == 0) {
        if (first_plain != last_plain && last_plain != optind)
            move_plain_texts(list);
        else if (last_plain != optind)
            first_plain = optind;
        while (optind < count && is_plain_text(list[optind]))
            optind++;
        last_plain = optind;
    }
    if (optind != count && ends_options(list[optind])) {
        optind++;
        if (first_plain != last_plain && last_plain != optind)
            move_plain_texts(list);
        else if (first_plain == last_plain)
            first_plain = optind;
        last_plain = count;
        optind = count;
    }
    if (optind == count) {
        if (first_plain != last_plain)
            optind = first_plain;
        return -1;
    }
    if (is_plain_text(list[optind])) {
        if (order == '+')
            return -1;
        optarg = list[optind];
        optind++;
        return 1;
    }
    return 0;
}

/* How much of a long option's name a text is: 0 nothing, 1 a beginning, 2 all. */
static int is_name(const char *text, const char *name)
{
    word i = 0;
    while (text[i] != 0 && text[i] != '=') {
        if (text[i] != name[i])
            return 0;
        i++;
    }
    return name[i] == 0 ? 2 : 1;
}

/* The number of the long option that a text names, -1 for none, -2 for several. */
static int find_long(const char *text, const struct long_option *longs)
{
    int found = -1;
    for (int i = 0; longs[i].name; i++) {
        int how = is_name(text, longs[i].name);
        if (how == 2)
            return i;
        if (how == 1 && found == -1)
            found = i;
        else if (how == 1 && found >= 0)
            if (longs[found].takes != longs[i].takes || longs[found].flag != longs[i].flag || longs[found].value != longs[i].value)
                found = -2;
    }
    return found;
}

static int take_long(int count, char **list, char *text, const struct long_option *longs, int *index, int found, int is_quiet)
{
    const struct long_option *option = longs + found;
    optind++;
    while (*text != 0 && *text != '=')
        text++;
    if (*text == '=') {
        if (option->takes == 0) {
            optopt = option->value;
            return '?';
        }
        optarg = text + 1;
    } else if (option->takes == 1) {
        if (optind >= count) {
            optopt = option->value;
            return is_quiet ? ':' : '?';
        }
        optarg = list[optind];
        optind++;
    }
    if (index)
        *index = found;
    if (option->flag) {
        *option->flag = option->value;
        return 0;
    }
    return option->value;
}

static int take_letter(int count, char **list, const char *options, int is_quiet)
{
    char letter = *option_rest;
    const char *at = options;
    option_rest++;
    if (*option_rest == 0)
        optind++;
    while (*at != 0 && *at != letter)
        at++;
    if (*at == 0 || letter == ':' || letter == ';') {
        optopt = letter;
        return '?';
    }
    if (at[1] == ':') {
        if (*option_rest != 0) {
            optarg = option_rest;
            optind++;
        } else if (at[2] != ':') {
            if (optind == count) {
                optopt = letter;
                letter = is_quiet ? ':' : '?';
            } else {
                optarg = list[optind];
                optind++;
            }
        }
        option_rest = 0;
    }
    return letter;
}

static int find_option(int count, char **list, const char *options, const struct long_option *longs, int *index, int is_long_only)
{
    char order = 0;
    int is_quiet;
    if (count < 1)
        return -1;
    optarg = 0;
    if (optind == 0 || !is_begun) {
        if (optind == 0)
            optind = 1;
        first_plain = optind;
        last_plain = optind;
        option_rest = 0;
        is_begun = 1;
    }
    if (options[0] == '+' || options[0] == '-') {
        order = options[0];
        options++;
    }
    is_quiet = options[0] == ':';
    if (!option_rest || *option_rest == 0) {
        int result = next_text(count, list, order);
        if (result != 0)
            return result;
        char *text = list[optind] + 1;
        if (longs && (*text == '-' || is_long_only)) {
            char *name = *text == '-' ? text + 1 : text;
            int found = find_long(name, longs);
            if (found >= 0)
                return take_long(count, list, name, longs, index, found, is_quiet);
            if (*text == '-' || found == -2) {
                optind++;
                optopt = 0;
                return '?';
            }
        }
        option_rest = text;
    }
    return take_letter(count, list, options, is_quiet);
}

int getopt(int count, char **list, const char *options)
{
    return find_option(count, list, options, 0, 0, 0);
}

int getopt_long(int count, char **list, const char *options, const struct long_option *longs, int *index)
{
    return find_option(count, list, options, longs, index, 0);
}

int getopt_long_only(int count, char **list, const char *options, const struct long_option *longs, int *index)
{
    return find_option(count, list, options, longs, index, 1);
}
