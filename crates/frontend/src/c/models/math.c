/* Real functions. What IEEE 754 fixes is exact, and what is a whole number for whole numbers; the others are not computed: they yield any number of
 * their range, and an execution that goes wrong because of one is no answer. */

static double any_real(void)
{
    union {
        long long bits;
        double value;
    } any;
    long high = __ravel_approximate_long();
    any.bits = sizeof(long) == 8 ? (long long)high : ((long long)high << 32 | (u32)__ravel_approximate_int());
    return any.value;
}

static double any_between(double least, double most)
{
    double value = any_real();
    return value >= least && value <= most ? value : least;
}

static int is_whole(double x, double below)
{
    return __ravel_fabs(x) < below && x == (double)(long long)x;
}

double fabs(double x)
{
    return __ravel_fabs(x);
}

float fabsf(float x)
{
    return (float)__ravel_fabs(x);
}

double sqrt(double x)
{
    return __ravel_sqrt(x);
}

/* Rounding twice changes nothing for a root. */
float sqrtf(float x)
{
    return (float)__ravel_sqrt(x);
}

/* Numbers of 2^52 and more have no fraction. */
static int has_fraction(double x)
{
    return __ravel_fabs(x) < 4503599627370496.0;
}

double trunc(double x)
{
    if (!has_fraction(x))
        return x;
    double whole = (double)(long long)x;
    return whole == 0 && (x < 0 || 1 / x < 0) ? -0.0 : whole;
}

double floor(double x)
{
    double whole = trunc(x);
    return whole > x ? whole - 1 : whole;
}

double ceil(double x)
{
    double whole = trunc(x);
    if (whole < x)
        return whole + 1 == 0 ? -0.0 : whole + 1;
    return whole;
}

double round(double x)
{
    double whole = trunc(x);
    double rest = x - whole;
    if (rest >= 0.5)
        return whole + 1;
    if (rest <= -0.5)
        return whole - 1;
    return whole;
}

float truncf(float x)
{
    return (float)trunc(x);
}

float floorf(float x)
{
    return (float)floor(x);
}

float ceilf(float x)
{
    return (float)ceil(x);
}

float roundf(float x)
{
    return (float)round(x);
}

long lround(double x)
{
    return (long)round(x);
}

long lroundf(float x)
{
    return (long)round(x);
}

double fmax(double a, double b)
{
    if (a != a)
        return b;
    return a >= b || b != b ? a : b;
}

double fmin(double a, double b)
{
    if (a != a)
        return b;
    return a <= b || b != b ? a : b;
}

float fmaxf(float a, float b)
{
    return (float)fmax(a, b);
}

float fminf(float a, float b)
{
    return (float)fmin(a, b);
}

double sin(double x)
{
    if (x == 0)
        return x;
    return x - x == 0 ? any_between(-1, 1) : x - x;
}

double cos(double x)
{
    if (x == 0)
        return 1;
    return x - x == 0 ? any_between(-1, 1) : x - x;
}

double tan(double x)
{
    return x == 0 ? x : any_real();
}

double atan(double x)
{
    if (x == 0)
        return x;
    return x == x ? any_between(-1.6, 1.6) : x;
}

double atan2(double y, double x)
{
    if (y == 0 && x > 0)
        return y;
    return x == x && y == y ? any_between(-3.2, 3.2) : x + y;
}

double exp(double x)
{
    if (x == 0)
        return 1;
    return x == x ? any_between(0, 1 / 0.0) : x;
}

double log(double x)
{
    return x == 1 ? 0 : any_real();
}

double log2(double x)
{
    return x == 1 ? 0 : any_real();
}

static const double tens[16] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15 };

double log10(double x)
{
    for (int i = 0; i < 16; i++)
        if (x == tens[i])
            return i;
    return any_real();
}

double pow(double x, double y)
{
    if (y == 0 || x == 1)
        return 1;
    if (y == 1)
        return x;
    if (y == 2 && is_whole(x, 94906265))
        return x * x;
    if (x == 2 && y > 0 && is_whole(y, 63))
        return (double)((u64)1 << (int)y);
    if (x == 10 && y > 0 && is_whole(y, 16))
        return tens[(int)y];
    return any_real();
}

double fmod(double x, double y)
{
    if (is_whole(x, 9007199254740992.0) && is_whole(y, 9007199254740992.0) && y != 0)
        return (double)((long long)x % (long long)y);
    double result = any_real();
    if (x - x == 0 && y != 0 && y == y && !(__ravel_fabs(result) < __ravel_fabs(y) && __ravel_fabs(result) <= __ravel_fabs(x)))
        return 0;
    return result;
}

float sinf(float x)
{
    return (float)sin(x);
}

float cosf(float x)
{
    return (float)cos(x);
}

float expf(float x)
{
    return (float)exp(x);
}

float powf(float x, float y)
{
    return (float)pow(x, y);
}
