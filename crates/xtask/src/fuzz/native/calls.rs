//! Programs that call library functions whose results are fixed by their arguments, or by what the program did before.
//!
//! A result is exact or not computed; who takes one that is not computed for any value must not say that the program goes wrong. Templates of calls get random arguments of the kind
//! that each wants: `N` a small number, `R` a real one, `S` a text, `W` a text that is a number. What may fail is asked so that the failure makes no difference.

use super::super::subject::{Question, Subject, Unasked};
use super::{PROLOGUE, questions};
use logic::Prng;
use std::fmt::Write;

const HEAD: &str = "#define _GNU_SOURCE\n#include <arpa/inet.h>\n#include <ctype.h>\n#include <errno.h>\n#include <fcntl.h>\n#include <math.h>\n#include <poll.h>\n#include <stdlib.h>\n\
    #include <string.h>\n#include <sys/stat.h>\n#include <time.h>\n#include <unistd.h>\n";

const MIX: &str = "static unsigned long long sum = 17;\nstatic void mix(unsigned long long x)\n{\n    sum = sum * 31 + x;\n}\n\
    static void mixd(double x)\n{\n    unsigned long long bits;\n    memcpy(&bits, &x, 8);\n    mix(x == 0 ? 0 : bits);\n}\n\
    static void mixs(const char *s)\n{\n    while (*s)\n        mix(*s++);\n}\n\
    static int ascending(const void *a, const void *b)\n{\n    return (*(int *)a > *(int *)b) - (*(int *)a < *(int *)b);\n}\n";

/// Each is a statement.
const CALLS: &[&str] = &[
    "mixd(pow(R, R));",
    "mixd(pow(N, 2));",
    "mixd(pow(2, N));",
    "mixd(pow(10, N));",
    "mixd(sin(R) + cos(R));",
    "mixd(tan(R));",
    "mixd(atan(R) + atan2(R, R));",
    "mixd(exp(R));",
    "mixd(log(N) + log2(N) + log10(N));",
    "mixd(log10(1000));",
    "mixd(fmod(R, R));",
    "mixd(fmod(N, 7));",
    "mixd(sqrt(N) + floor(R) - ceil(R) + trunc(R) * round(R));",
    "mixd(fmax(R, R) + fmin(R, R) + fabs(R));",
    "mixd(sinf(R) + powf(N, 2) + expf(0));",
    "mixd(asin(R / 8) + acos(R / 8) + tanh(R));",
    "mixd(cbrt(R) + hypot(R, R) + log1p(N) + exp2(R));",
    "mixd(rint(R) + copysign(R, R) + ldexp(N, 3));",
    "{ double w; mixd(modf(R, &w)); mixd(w); }",
    "{ int e; mixd(frexp(R, &e)); mix(e); }",
    "mixd(fma(N, N, N) + remainder(N, 7) + nextafter(R, 1));",
    "mix(lround(R) + lrint(R));",
    "{ time_t t = N * 86400L + N; struct tm d; gmtime_r(&t, &d); mix(d.tm_year * 400 + d.tm_yday); mix(d.tm_hour); }",
    "{ time_t t = N; mix(gmtime(&t)->tm_sec); }",
    "{ struct tm d = {.tm_year = 100, .tm_mday = N}; mix(timegm(&d)); mix(d.tm_mon); }",
    "{ char b[24]; struct tm d = {.tm_year = 100, .tm_mday = 3}; mix(strftime(b, 24, \"%Y\", &d)); mixs(b); }",
    "{ char b[26]; struct tm d = {.tm_year = 100, .tm_mday = 3}; mixs(asctime_r(&d, b)); }",
    "mix(inet_addr(\"127.0.0.1\"));",
    "mix(inet_addr(W));",
    "{ struct in_addr a = {0}; mix(inet_pton(AF_INET, S, &a)); mix(a.s_addr); }",
    "{ struct in_addr a = {0}; mix(inet_pton(AF_INET, \"10.0.200.7\", &a)); mix(a.s_addr); }",
    "{ struct in_addr a = {0x0100007f}; char b[16]; inet_ntop(AF_INET, &a, b, 16); mixs(b); }",
    "mix(htons(N) + ntohl(N));",
    "{ char *e; mix(strtol(W, &e, 0)); mix(*e); }",
    "mix(strtoul(W, 0, 16) + atoi(W));",
    "mixd(strtod(W, 0));",
    "{ int a = 0, b = 0; mix(sscanf(\"3 N\", \"%d %d\", &a, &b)); mix(a * 7 + b); }",
    "{ char a[12] = \"\"; mix(sscanf(S, \"%11s\", a)); mixs(a); }",
    "{ char b[40]; mix(snprintf(b, 40, \"%05d|%-4s|%x|%c\", N, S, N, 'q')); mixs(b); }",
    "{ char b[6]; mix(snprintf(b, 6, \"%s/%u\", S, N)); mixs(b); }",
    "{ char b[40]; mix(snprintf(b, 40, \"%.2f %g\", R, R)); mixs(b); }",
    "{ char b[16]; strcpy(b, S); mixs(strtok(b, \"b,\") ? b : \"\"); }",
    "{ char b[16]; strncpy(b, S, 15); b[15] = 0; mix(strlen(b) + strspn(b, \"abc\") + strcspn(b, \"x\")); }",
    "mix(strcmp(S, S) > 0); mix(strncmp(S, S, 2) < 0); mix(strcasecmp(S, S) == 0);",
    "mix(strchr(S, 'b') != 0); mix(strstr(S, \"ab\") != 0); mix(strpbrk(S, \"xy\") != 0);",
    "{ int v[4] = {N, N, N, N}; qsort(v, 4, sizeof(int), ascending); mix(v[0] * 1000 + v[3]); }",
    "{ int v[4] = {1, 3, 5, 7}, k = N; int *p = bsearch(&k, v, 4, sizeof(int), ascending); mix(p ? p - v : 9); }",
    "mix(div(N, 7).rem + ldiv(-N, 5).quot + abs(-N));",
    "mix(toupper('a' + N % 26) + isalpha(N) * 0 + !!isdigit('0' + N % 20));",
    "umask(022); mix(umask(N & 0777));",
    "{ int a = open(\"/dev/null\", O_RDONLY), b = dup(1); mix(a < 0 || b < 0 || a != b); if (a >= 0) close(a); if (b >= 0) close(b); }",
    "{ int p[2]; if (pipe(p) == 0) { mix(p[0] != p[1]); close(p[0]); close(p[1]); } else mix(1); }",
    "{ FILE *f = fopen(\"/dev/null\", \"r\"); mix(f == 0 || fileno(f) > 2); if (f) fclose(f); }",
    "mix(close(-N - 1));",
    "{ struct timespec t = {0, -1}; mix(nanosleep(&t, 0)); }",
    "{ struct pollfd p = {.fd = -1, .events = POLLIN}; mix(poll(&p, 1, 0) <= 0); mix(p.revents); }",
    "mix(isatty(0) == isatty(0)); mix(getpid() == getpid());",
    "{ char *s = strdup(\"ab\"); mix(s == 0 || strcmp(s, \"ab\") == 0); free(s); }",
    "{ char a[8] = \"abcdefg\"; memmove(a + 1, a, 4); mixs(a); mix(memcmp(a, \"aabcd\", 5)); mix(memchr(a, 'd', 8) != 0); }",
    "mix(difftime(N, 3) == N - 3);",
    "ungetc('a' + N % 20, stdin); mix(getchar());",
];

/// A program: its calls.
#[derive(Clone)]
struct Program {
    calls: Vec<String>,
}

impl Subject for Program {
    fn text(&self) -> String {
        let mut text = format!("{HEAD}{PROLOGUE}{MIX}int main(void)\n{{\n");
        for call in &self.calls {
            let _ = writeln!(text, "    {call}");
        }
        text + "    DONE(sum);\n    return 0;\n}\n"
    }

    fn smaller(&self) -> Vec<Box<dyn Subject>> {
        let without = |at: usize| {
            let mut less = self.clone();
            less.calls.remove(at);
            Box::new(less) as Box<dyn Subject>
        };
        (0..self.calls.len()).map(without).collect()
    }

    fn questions(&self, _: u64) -> Result<Vec<Question>, Unasked> {
        questions(&self.text())
    }
}

/// The program of a seed.
pub(in super::super) fn make(seed: u64) -> Box<dyn Subject> {
    let mut random = Prng::new(seed);
    let n_calls = 1 + random.below(3);
    let calls = (0..n_calls).map(|_| filled(random.pick(CALLS), &mut random));
    Box::new(Program { calls: calls.collect() })
}

/// A template with random arguments. Letters that stand for one have no letter or digit beside them.
fn filled(template: &str, random: &mut Prng) -> String {
    const REALS: [&str; 8] = ["0.0", "1.0", "-1.5", "2.0", "0.5", "10.0", "-7.0", "3.25"];
    const TEXTS: [&str; 6] = ["\"\"", "\"abc\"", "\"ab,ba\"", "\"Xy\"", "\"1.2.3.4\"", "\"b a\""];
    const NUMBERS: [&str; 6] = ["\"12\"", "\"-7\"", "\"0x1f\"", "\" 8z\"", "\"1.5\"", "\"\""];
    let mut text = String::new();
    let letters: Vec<char> = template.chars().collect();
    for (at, letter) in letters.iter().enumerate() {
        let beside = [at.checked_sub(1).map(|before| letters[before]), letters.get(at + 1).copied()];
        let is_name = beside.iter().flatten().any(|c| c.is_alphanumeric() || "_%".contains(*c));
        match letter {
            'N' if !is_name => {
                let _ = write!(text, "{}", random.below(40));
            }
            'R' if !is_name => text.push_str(random.pick(&REALS)),
            'S' if !is_name => text.push_str(random.pick(&TEXTS)),
            'W' if !is_name => text.push_str(random.pick(&NUMBERS)),
            other => text.push(*other),
        }
    }
    text
}
