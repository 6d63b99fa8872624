//! Single expressions: their conversions and types.

use ir::DataModel;

use super::{expression, run};

const PRELUDE: &str = "
    enum colour { RED, GREEN = 5 }; enum big { HUGE_VALUE = 0x80000000 }; enum wide { WIDE = 0x100000000 };
    struct pair { int a; char b; struct { short c; long d; }; int e[3]; };
    struct bits { int s : 5; unsigned u : 3; unsigned full : 32; _Bool flag : 1; long long l : 40; unsigned char uc : 4; };
    union word { int i; float f; };
    char c; signed char sc; unsigned char uc; short s; unsigned short us; int i; unsigned u; long l; unsigned long ul;
    long long ll; unsigned long long ull; float f; double d; _Bool b; enum colour col; enum big eb; enum wide ew;
    int *p, *q; const int *cp; void *vp; char *str; int arr[10]; int mat[3][4]; struct pair pr, *pp; struct bits bf;
    union word w; int fn(int, char); int (*fp)(int, char); void proc(void); int old(); int printf(const char *, ...);
    _Atomic int ai; volatile int vi; const int ci; struct pair make(void); _Thread_local int tl;";

fn check(model: DataModel, rows: &[(&str, &str)]) {
    for (text, expected) in rows {
        assert_eq!(&expression(PRELUDE, text, model), expected, "{text}");
    }
}

#[test]
fn arithmetic_follows_the_usual_conversions() {
    check(
        DataModel::Lp64,
        &[
            ("i + 1", "(+ (load i):int 1:int):int"),
            ("c + sc", "(+ (cast (load c):char):int (cast (load sc):signed char):int):int"),
            ("u + l", "(+ (cast (load u):unsigned int):long (load l):long):long"),
            ("ull + l", "(+ (load ull):unsigned long long (cast (load l):long):unsigned long long):unsigned long long"),
            (
                "ll + ul",
                "(+ (cast (load ll):long long):unsigned long long (cast (load ul):unsigned long):unsigned long long):unsigned long long",
            ),
            ("i * f", "(* (cast (load i):int):float (load f):float):float"),
            ("f + d", "(+ (cast (load f):float):double (load d):double):double"),
            ("-c", "(- (cast (load c):char):int):int"),
            ("~us", "(~ (cast (load us):unsigned short):int):int"),
            ("!d", "(! (load d):double):int"),
            ("+b", "(cast (load b):_Bool):int"),
            ("s << l", "(<< (cast (load s):short):int (load l):long):int"),
            ("ul >> c", "(>> (load ul):unsigned long (cast (load c):char):int):unsigned long"),
            ("u < i", "(< (load u):unsigned int (cast (load i):int):unsigned int):int"),
            ("c == 'a'", "(== (cast (load c):char):int 97:int):int"),
            ("b && p", "(&& (load b):_Bool (load p):int *):int"),
            ("col + 1", "(+ (cast (load col):enum colour):unsigned int (cast 1:int):unsigned int):unsigned int"),
            ("GREEN", "5:int"),
            ("HUGE_VALUE", "2147483648:enum big"),
            ("WIDE + 1", "(+ (cast 4294967296:enum wide):unsigned long (cast 1:int):unsigned long):unsigned long"),
            ("i, l", "(, (load i):int (load l):long):long"),
        ],
    );
    check(
        DataModel::Ilp32,
        &[
            ("ul + ll", "(+ (cast (load ul):unsigned long):long long (load ll):long long):long long"),
            (
                "u + l",
                "(+ (cast (load u):unsigned int):unsigned long (cast (load l):long):unsigned long):unsigned long",
            ),
            ("WIDE", "4294967296:enum wide"),
            ("sizeof(ew)", "8:unsigned int"),
        ],
    );
}

#[test]
fn literals_have_the_first_type_that_holds_them() {
    check(
        DataModel::Lp64,
        &[
            ("2147483647", "2147483647:int"),
            ("2147483648", "2147483648:long"),
            ("0x80000000", "2147483648:unsigned int"),
            ("0xffffffffffffffff", "18446744073709551615:unsigned long"),
            ("1u", "1:unsigned int"),
            ("1l", "1:long"),
            ("1ull", "1:unsigned long long"),
            ("-1", "(- 1:int):int"),
            ("1.5f", "1.5:float"),
            ("1.5", "1.5:double"),
            ("L'x'", "120:int"),
            ("u'x'", "120:unsigned short"),
            ("'\\377'", "-1:int"),
            ("\"ab\"[0]", "(load (* (+1 (decay \"ab\\0\"):char * 0:int):char *)):char"),
            ("__func__", "(decay \"test\\0\"):char *"),
        ],
    );
    check(
        DataModel::Ilp32,
        &[("2147483648", "2147483648:long long"), ("0xffffffff", "4294967295:unsigned int"), ("L'x'", "120:long")],
    );
}

#[test]
fn bit_fields_are_promoted_by_their_width() {
    check(
        DataModel::Lp64,
        &[
            ("bf.u - 1", "(- (cast (load (at 0.5+3 bf)):unsigned int):int 1:int):int"),
            (
                "(unsigned)bf.u - 1",
                "(- (cast (load (at 0.5+3 bf)):unsigned int):unsigned int (cast 1:int):unsigned int):unsigned int",
            ),
            ("bf.full - 1", "(- (load (at 4.0+32 bf)):unsigned int (cast 1:int):unsigned int):unsigned int"),
            ("bf.flag + 0", "(+ (cast (load (at 8.0+1 bf)):_Bool):int 0:int):int"),
            ("bf.l & 3", "(& (load (at 8.1+40 bf)):long long (cast 3:int):long long):long long"),
            ("bf.l + l", "(+ (load (at 8.1+40 bf)):long long (cast (load l):long):long long):long long"),
            ("bf.s = l", "(= (at 0.0+5 bf) (cast (load l):long):int):int"),
            ("bf.u += 1", "(+= (at 0.5+3 bf) 1:int in int):unsigned int"),
            ("(bf.u = 3) - 4", "(- (cast (= (at 0.5+3 bf) (cast 3:int):unsigned int):unsigned int):int 4:int):int"),
        ],
    );
}

#[test]
fn pointers_count_in_elements() {
    check(
        DataModel::Lp64,
        &[
            ("p + 1", "(+4 (load p):int * 1:int):int *"),
            ("c + p", "(+4 (load p):int * (cast (load c):char):int):int *"),
            ("p - ul", "(-4 (load p):int * (load ul):unsigned long):int *"),
            ("p - q", "(diff4 (load p):int * (load q):int *):long"),
            ("vp + 1", "(+1 (load vp):void * 1:int):void *"),
            ("arr[i]", "(load (* (+4 (decay arr):int * (load i):int):int *)):int"),
            ("i[arr]", "(load (* (+4 (decay arr):int * (load i):int):int *)):int"),
            (
                "mat[1][2]",
                "(load (* (+4 (decay (* (+16 (decay mat):int (*)[4] 1:int):int (*)[4])):int * 2:int):int *)):int",
            ),
            ("&mat[1]", "(+16 (decay mat):int (*)[4] 1:int):int (*)[4]"),
            ("&arr", "(& arr):int (*)[10]"),
            ("*&i", "(load i):int"),
            ("&*p", "(load p):int *"),
            ("p == 0", "(== (load p):int * (cast 0:int):int *):int"),
            ("p == vp", "(== (cast (load p):int *):void * (load vp):void *):int"),
            ("p < q", "(< (load p):int * (load q):int *):int"),
            ("p += 2", "(+=4 p 2:int in int *):int *"),
            ("p++", "(post++4 p):int *"),
            ("--i", "(pre-- i):int"),
            ("i ? p : 0", "(? (load i):int (load p):int * (cast 0:int):int *):int *"),
            ("i ? p : cp", "(? (load i):int (cast (load p):int *):const int * (load cp):const int *):const int *"),
            ("i ? p : vp", "(? (load i):int (cast (load p):int *):void * (load vp):void *):void *"),
            ("p ?: q", "(? (load p):int * - (load q):int *):int *"),
            ("i ?: l", "(? (load i):int - (load l):long):long"),
            ("i ? proc() : (void)0", "(? (load i):int (call proc):void (cast 0:int):void):void"),
            ("b = p", "(= b (cast (load p):int *):_Bool):_Bool"),
            ("(long)p", "(cast (load p):int *):long"),
        ],
    );
}

#[test]
fn members_are_offsets() {
    check(
        DataModel::Lp64,
        &[
            ("pr.b", "(load (at 4 pr)):char"),
            ("pp->d", "(load (at 16 (* (load pp):struct pair *))):long"),
            ("(&pr)->a", "(load (at 0 pr)):int"),
            ("pr.e[1]", "(load (* (+4 (decay (at 24 pr)):int * 1:int):int *)):int"),
            ("make().a", "(at 0 (call make):struct pair)"),
            (
                "make().e[1]",
                "(load (* (+4 (decay (at 24 (<temporary> {0: (call make):struct pair}))):int * 1:int):int *)):int",
            ),
            ("pr = *pp", "(= pr (load (* (load pp):struct pair *)):struct pair):struct pair"),
            ("(unsigned long)&((struct pair *)0)->d", "(cast (cast 16:unsigned long):long *):unsigned long"),
            ("__builtin_offsetof(struct pair, e[2])", "32:unsigned long"),
            ("sizeof(struct pair)", "40:unsigned long"),
            ("sizeof arr / sizeof arr[0]", "(/ 40:unsigned long 4:unsigned long):unsigned long"),
            ("_Alignof(long)", "8:unsigned long"),
        ],
    );
    check(
        DataModel::Ilp32,
        &[
            ("sizeof(struct pair)", "28:unsigned int"),
            ("_Alignof(long long)", "4:unsigned int"),
            ("__alignof__(long long)", "8:unsigned int"),
            ("pp->d", "(load (at 12 (* (load pp):struct pair *))):long"),
        ],
    );
}

#[test]
fn calls_convert_their_arguments() {
    check(
        DataModel::Lp64,
        &[
            ("fn(c, i)", "(call fn (cast (load c):char):int (cast (load i):int):char):int"),
            ("(*fp)(1, 2)", "(call (load fp):int (*)(int, char) 1:int (cast 2:int):char):int"),
            ("(&fn)(1, 2)", "(call fn 1:int (cast 2:int):char):int"),
            ("(**fn)(1, 2)", "(call fn 1:int (cast 2:int):char):int"),
            ("old(c, f)", "(call old (cast (load c):char):int (cast (load f):float):double):int"),
            (
                "printf(\"x\", s, f)",
                "(call printf (cast (decay \"x\\0\"):char *):const char * (cast (load s):short):int (cast (load f):float):double):int",
            ),
            ("fp = fn", "(= fp (decay fn):int (*)(int, char)):int (*)(int, char)"),
            ("__builtin_expect(p, 1)", "(__builtin_expect (cast (load p):int *):long (cast 1:int):long):long"),
            ("__sync_fetch_and_add(&s, 1)", "(__sync_fetch_and_add (& s):short * (cast 1:int):short):short"),
            (
                "__sync_bool_compare_and_swap_4(p, 0, 1, i)",
                "(__sync_bool_compare_and_swap (load p):int * 0:int 1:int):_Bool",
            ),
            ("__atomic_load_n(&ai, 5)", "(__atomic_load_n (& ai):_Atomic int * 5:int):int"),
            (
                "__builtin_saddl_overflow(1, 2, &l)",
                "(__builtin_add_overflow (cast 1:int):long (cast 2:int):long (& l):long *):_Bool",
            ),
            (
                "__builtin_memcpy(p, q, 4)",
                "(call memcpy (cast (load p):int *):void * (cast (load q):int *):const void * (cast 4:int):unsigned long):void *",
            ),
            ("__builtin_constant_p(3 + 4)", "1:int"),
            ("__builtin_constant_p(i)", "0:int"),
            ("_Generic(c, int: 1, char: 2, default: 3)", "2:int"),
            ("_Generic(ci, int: 1, default: 3)", "1:int"),
            ("_Generic(\"x\", char *: 1, default: 3)", "1:int"),
            ("__builtin_types_compatible_p(int, const int)", "1:int"),
            ("__builtin_choose_expr(1, c, \"x\")", "(load c):char"),
        ],
    );
}

#[test]
fn assignments_compute_in_the_common_type() {
    check(
        DataModel::Lp64,
        &[
            ("c += 1", "(+= c 1:int in int):char"),
            ("c += l", "(+= c (load l):long in long):char"),
            ("i *= d", "(*= i (load d):double in double):int"),
            ("s <<= l", "(<<= s (load l):long in int):short"),
            ("ai += 1", "(+= ai 1:int in int):int"),
            ("b |= 2", "(|= b 2:int in int):_Bool"),
            ("l = i = c", "(= l (cast (= i (cast (load c):char):int):int):long):long"),
        ],
    );
}

#[test]
fn what_is_wrong_is_said() {
    for (text, expected) in [
        ("ci = 1", "error: this object is const and cannot be changed"),
        ("1 = i", "error: this is a value, not an object that could be changed"),
        ("arr = 0", "error: an array cannot be assigned to as a whole"),
        ("&bf.s", "error: a bit-field has no address"),
        ("sizeof bf.s", "error: a bit-field has no size in bytes"),
        ("pr.nothing", "error: struct pair has no member nothing"),
        ("i.a", "error: int has no members, so no a"),
        ("pr + 1", "error: an operand of type struct pair does not fit this operator"),
        ("f % 2", "error: an operand of type float does not fit this operator"),
        ("*i", "error: a value of type int points to nothing"),
        ("fn(1)", "error: this call has 1 arguments, but the function takes 2"),
        ("i(1)", "error: a value of type int cannot be called"),
        ("p = l", "warning: this assignment makes a pointer from an integer without a cast"),
        ("i = p", "warning: this assignment makes an integer from a pointer without a cast"),
        ("p = &d", "warning: this assignment makes int * from the incompatible pointer type double *"),
        ("pr = w", "error: this assignment cannot make struct pair from union word"),
        ("1.0L + d", "not supported: values of type long double"),
        ("__builtin_frobnicate(1)", "not supported: the builtin __builtin_frobnicate"),
        ("break", "error: break outside of a loop or switch"),
        ("goto nowhere", "error: there is no label nowhere in this function"),
        ("({ int g(void) { return 1; } g(); })", "not supported: the nested function g"),
    ] {
        let (_, problems) = run(&format!("{PRELUDE}\nvoid test(void) {{ {text}; }}"), DataModel::Lp64);
        let first = problems.first().map(|line| line.split_once(": ").map_or("", |(_, text)| text));
        assert_eq!(first, Some(expected), "{text}");
    }
}
