// expect: unsafe at 6
int a[4];
int main(void) {
    int sum = 0;
    for (int i = 0; i <= 4; i++)
        sum += a[i];
    return sum;
}
