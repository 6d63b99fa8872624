/* Nine dining philosophers for ever; the last one takes the forks the other way round. */
#define N 9

byte fork[N];

active [N] proctype philosopher() {
    byte first, second;
    d_step {
        if
        :: _pid == N - 1 -> first = 0; second = _pid
        :: else -> first = _pid; second = _pid + 1
        fi
    }
    do
    :: d_step { fork[first] == 0 -> fork[first] = _pid + 1 };
       d_step { fork[second] == 0 -> fork[second] = _pid + 1 };
       fork[second] = 0;
       fork[first] = 0
    od
}
