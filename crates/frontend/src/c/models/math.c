/* Real functions. What IEEE 754 fixes is exact; of the others C leaves the accuracy open, and the result is any number of their range. */

static double any_real(void)
{
    union {
        long long bits;
        double value;
    } any;
    long high = __ravel_input_long();
    any.bits = sizeof(long) == 8 ? (long long)high : ((long long)high << 32 | (u32)__ravel_input_int());
    return any.value;
}

static double any_between(double least, double most)
{
    double value = any_real();
    __ravel_assume(value >= least && value <= most);
    return value;
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
    return x - x == 0 ? any_between(-1, 1) : x - x;
}

double cos(double x)
{
    return sin(x);
}

double tan(double x)
{
    return any_real();
}

double atan(double x)
{
    return x == x ? any_between(-1.6, 1.6) : x;
}

double atan2(double y, double x)
{
    return x == x && y == y ? any_between(-3.2, 3.2) : x + y;
}

double exp(double x)
{
    return x == x ? any_between(0, 1 / 0.0) : x;
}

double log(double x)
{
    return any_real();
}

double log2(double x)
{
    return any_real();
}

double log10(double x)
{
    return any_real();
}

double pow(double x, double y)
{
    return any_real();
}

double fmod(double x, double y)
{
    double result = any_real();
    if (x - x == 0 && y != 0 && y == y)
        __ravel_assume(__ravel_fabs(result) < __ravel_fabs(y) && __ravel_fabs(result) <= __ravel_fabs(x));
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
    return (float)any_real();
}
