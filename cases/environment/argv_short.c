// expect: unsafe at 7
// property: memsafety
// why: an argument may be shorter than the program thinks

int main(int argc, char **argv) {
    if (argc > 1)
        return argv[1][3];
    return 0;
}
