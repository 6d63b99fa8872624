// expect[overflow]: safe
// why: unsigned arithmetic and small types do not overflow
int main(void) {
    unsigned x = 4294967295u;
    x = x + 1;
    unsigned char c = 255;
    c++;
    short s = 32767;
    s = s + 1;
    return 0;
}
