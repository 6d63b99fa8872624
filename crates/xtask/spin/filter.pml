/* Peterson's filter lock for three processes that enter for ever. */
#define N 3

byte level[N], victim[N], inside, seen;

active [N] proctype worker() {
    byte l, k, v;
    do
    :: l = 1;
       do
       :: l < N ->
          level[_pid] = l;
          victim[l] = _pid;
          k = 0;
          do
          :: k < N ->
             if
             :: k == _pid
             :: else ->
                do
                :: level[k] < l -> break
                :: else ->
                   if
                   :: victim[l] != _pid -> break
                   :: else
                   fi
                od
             fi;
             k++
          :: else -> break
          od;
          l++
       :: else -> break
       od;
       v = inside; inside = v + 1;
       assert(inside == 1);
       v = inside; inside = v - 1;
       level[_pid] = 0
    od
}
