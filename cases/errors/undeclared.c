// expect: error at 3
int main(void) {
    return unknown_name;
}
