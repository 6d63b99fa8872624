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

/* A result that has the sign of an argument, though it be zero. */
static double with_sign_of(double x, double result)
{
    return result == 0 ? (x < 0 || 1 / x < 0 ? -0.0 : 0.0) : result;
}

double trunc(double x)
{
    if (!has_fraction(x))
        return x;
    return with_sign_of(x, (double)(long long)x);
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

double fdim(double a, double b)
{
    if (a != a || b != b)
        return a + b;
    return a > b ? a - b : 0;
}

float fdimf(float a, float b)
{
    if (a != a || b != b)
        return a + b;
    return a > b ? a - b : 0;
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
        return with_sign_of(x, (double)((long long)x % (long long)y));
    if (x - x == 0 && y == y && y - y != 0)
        return x;
    double result = any_real();
    if (x - x == 0 && y != 0 && y == y && !(__ravel_fabs(result) < __ravel_fabs(y) && __ravel_fabs(result) <= __ravel_fabs(x)))
        return 0;
    return result;
}

double asin(double x)
{
    return __ravel_fabs(x) <= 1 ? (x == 0 ? x : any_between(-1.6, 1.6)) : 0 / 0.0;
}

double acos(double x)
{
    return __ravel_fabs(x) <= 1 ? (any_between(0, 3.2)) : 0 / 0.0;
}

double sinh(double x)
{
    return x == 0 ? x : any_real();
}

double cosh(double x)
{
    return x == 0 ? 1 : any_real();
}

double tanh(double x)
{
    return x == x ? (x == 0 ? x : any_between(-1, 1)) : x;
}

double asinh(double x)
{
    return x == 0 ? x : any_real();
}

double acosh(double x)
{
    return any_real();
}

double atanh(double x)
{
    return any_real();
}

double exp2(double x)
{
    return x == 0 ? 1 : any_real();
}

double expm1(double x)
{
    return x == 0 ? x : any_real();
}

double log1p(double x)
{
    return x == 0 ? x : any_real();
}

double cbrt(double x)
{
    return x == 0 ? x : any_real();
}

double erf(double x)
{
    return x == x ? (x == 0 ? x : any_between(-1, 1)) : x;
}

double erfc(double x)
{
    return x == x ? any_between(0, 2) : x;
}

double tgamma(double x)
{
    return any_real();
}

/* The sign of what lgamma has computed last; nobody guards it. */
static int sign_of_gamma;

double lgamma(double x)
{
    sign_of_gamma = 1;
    return any_real();
}

double hypot(double x, double y)
{
    if (x == 0 || y == 0)
        return __ravel_fabs(x + y);
    return any_real();
}

double remainder(double x, double y)
{
    return any_real();
}

double fma(double x, double y, double z)
{
    if (is_whole(x, 67108864) && is_whole(y, 67108864) && is_whole(z, 4503599627370496.0))
        return x * y + z;
    return any_real();
}

double nextafter(double x, double y)
{
    return x == y ? y : any_real();
}

/* To a whole number, the even one of two that are as near. */
double rint(double x)
{
    const double whole = 4503599627370496.0;
    if (!(__ravel_fabs(x) < whole))
        return x;
    return with_sign_of(x, x < 0 ? x - whole + whole : x + whole - whole);
}

double nearbyint(double x)
{
    return rint(x);
}

long lrint(double x)
{
    return (long)rint(x);
}

double modf(double x, double *whole)
{
    double rounded = trunc(x);
    *whole = rounded;
    return x == x ? with_sign_of(x, x - x == 0 ? x - rounded : 0) : x;
}

double copysign(double x, double y)
{
    union {
        double value;
        u64 bits;
    } to, from;
    to.value = x;
    from.value = y;
    to.bits = (to.bits & ~((u64)1 << 63)) | (from.bits & (u64)1 << 63);
    return to.value;
}

/* Powers of two that fit are exact. */
double ldexp(double x, int n)
{
    if (x == 0 || n == 0)
        return x;
    if (is_whole(x, 9007199254740992.0) && n > 0 && n < 63)
        return x * (double)((u64)1 << n);
    return any_real();
}

double scalbn(double x, int n)
{
    return ldexp(x, n);
}

double frexp(double x, int *exponent)
{
    *exponent = x == 0 ? 0 : __ravel_approximate_int();
    return x == 0 ? x : any_between(-1, 1);
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

float tanf(float x)
{
    return (float)tan(x);
}

float atanf(float x)
{
    return (float)atan(x);
}

float logf(float x)
{
    return (float)log(x);
}

float log2f(float x)
{
    return (float)log2(x);
}

float log10f(float x)
{
    return (float)log10(x);
}

float asinf(float x)
{
    return (float)asin(x);
}

float acosf(float x)
{
    return (float)acos(x);
}

float sinhf(float x)
{
    return (float)sinh(x);
}

float coshf(float x)
{
    return (float)cosh(x);
}

float tanhf(float x)
{
    return (float)tanh(x);
}

float cbrtf(float x)
{
    return (float)cbrt(x);
}

float rintf(float x)
{
    return (float)rint(x);
}

float exp2f(float x)
{
    return (float)exp2(x);
}

float atan2f(float x, float y)
{
    return (float)atan2(x, y);
}

float fmodf(float x, float y)
{
    return (float)fmod(x, y);
}

float hypotf(float x, float y)
{
    return (float)hypot(x, y);
}

float copysignf(float x, float y)
{
    return (float)copysign(x, y);
}
