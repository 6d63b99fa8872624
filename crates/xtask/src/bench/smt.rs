//! How fast is bit-blasting onto CaDiCaL beside Z3, on the formulas that a bounded model checker makes?
//!
//! Random programs are unrolled into single assignment form: inputs, guards, guarded assignments, assumptions, a few
//! products, and at the end the question whether some assertion fails. Each size is asked twice: `inputs` has
//! assertions about random values, most of which can fail, `bounds` has counters and masked sums, which start anew after
//! each assertion and stay below their bounds. Both back ends get the same assertions and are measured from the first one
//! to the answer, in time on the processor, so that a busy machine matters less; where one reaches the limit of that, what
//! it used up to then counts.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use logic::{Pool, Prng, Sort, TermId};
use smt::{Backend, Cancel, Decision, Limits, Solver};

const SIZES: [usize; 8] = [1_000, 2_000, 3_000, 5_000, 7_000, 10_000, 20_000, 50_000];
const SEEDS: u64 = 1;
/// On the processor.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// What is asked at the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Question {
    Inputs,
    Bounds,
}

/// Prints the table; true if the back ends agree and ours is at least three times as fast in the geometric mean.
pub(crate) fn run() -> bool {
    println!(
        "{:8} {:>6} {:>4} {:>7} | {:>10} {:>10} | {:>7}",
        "question", "vars", "seed", "answer", "bits s", "z3 s", "ratio"
    );
    let mut logarithms = Vec::new();
    let mut is_fine = true;
    for question in [Question::Inputs, Question::Bounds] {
        for size in SIZES {
            for seed in 0..SEEDS {
                let (pool, formulas) = unrolled(question, size, seed);
                let (bits, bits_time) = measure(Backend::Bits, &pool, &formulas);
                let (z3, z3_time) = measure(Backend::Z3, &pool, &formulas);
                let ratio = z3_time.as_secs_f64() / bits_time.as_secs_f64().max(1e-6);
                logarithms.push(ratio.ln());
                let answer = match (&bits, &z3) {
                    (Decision::Unknown(_), _) => "bits?",
                    (Decision::Sat, Decision::Unsat) | (Decision::Unsat, Decision::Sat) => {
                        is_fine = false;
                        "DIFFER"
                    }
                    (Decision::Sat, Decision::Sat) => "sat",
                    (Decision::Unsat, Decision::Unsat) => "unsat",
                    (Decision::Sat, Decision::Unknown(_)) => "sat z3?",
                    (Decision::Unsat, Decision::Unknown(_)) => "uns z3?",
                };
                println!(
                    "{:8} {size:>6} {seed:>4} {answer:>7} | {:>10.3} {:>10.3} | {ratio:>7.1}",
                    format!("{question:?}").to_lowercase(),
                    bits_time.as_secs_f64(),
                    z3_time.as_secs_f64(),
                );
            }
        }
    }
    let mean = (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp();
    println!("geometric mean of the ratios: {mean:.1}");
    is_fine && mean >= 3.0
}

fn measure(backend: Backend, pool: &Pool, formulas: &[TermId]) -> (Decision, Duration) {
    let mut solver = Solver::new(backend);
    let cancel = Cancel::default();
    solver.set_limits(Limits { cancel: cancel.clone(), ..Limits::default() });
    let (over, is_over) = channel::<()>();
    std::thread::scope(|scope| {
        let everything = Clock::start(Backend::Z3);
        scope.spawn(move || {
            // Hangs up when the check is over.
            while is_over.recv_timeout(Duration::from_millis(20)) == Err(RecvTimeoutError::Timeout) {
                if everything.elapsed() > TIME_LIMIT {
                    cancel.cancel();
                }
            }
        });
        let start = Clock::start(backend);
        formulas.iter().for_each(|&formula| solver.assert(pool, formula));
        let decision = solver.decide(pool, &[]);
        let elapsed = start.elapsed();
        drop(over);
        (decision, elapsed)
    })
}

/// Time on the processor, where the system tells; else the time of day.
enum Clock {
    /// Of this thread.
    Thread(Duration),
    /// Of all threads: Z3 is given one of its own for large formulas.
    Process(Duration),
    Day(Instant),
}

impl Clock {
    fn start(backend: Backend) -> Clock {
        let clock = match backend {
            Backend::Bits => thread_time().map(Clock::Thread),
            Backend::Z3 => process_time().map(Clock::Process),
        };
        clock.unwrap_or_else(|| Clock::Day(Instant::now()))
    }

    fn elapsed(&self) -> Duration {
        let (start, now) = match self {
            Clock::Thread(start) => (*start, thread_time()),
            Clock::Process(start) => (*start, process_time()),
            Clock::Day(start) => return start.elapsed(),
        };
        now.map_or(Duration::ZERO, |now| now.saturating_sub(start))
    }
}

fn thread_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

/// In hundredths of a second, which is what Linux counts in.
fn process_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program, in parentheses, may contain anything.
    let mut fields = text.rsplit_once(')')?.1.split_whitespace().skip(11);
    let (user, system) = (fields.next()?.parse::<u64>().ok()?, fields.next()?.parse::<u64>().ok()?);
    Some(Duration::from_millis(10 * (user + system)))
}

/// A program that is being unrolled.
struct Unrolling {
    pool: Pool,
    prng: Prng,
    formulas: Vec<TermId>,
    /// The current version of each program variable, all of one width.
    current: Vec<TermId>,
    /// A counter, how often it was incremented, and a sum of bytes; all since the last assertion.
    counter: TermId,
    n_counted: u64,
    sum: TermId,
    n_summed: u64,
    guards: Vec<TermId>,
    violations: Vec<TermId>,
}

const WIDTH: u32 = 32;

/// The assertions for an unrolled program of about this many variables.
fn unrolled(question: Question, size: usize, seed: u64) -> (Pool, Vec<TermId>) {
    let mut pool = Pool::new();
    let zero = pool.bv(WIDTH, 0);
    let always = pool.bool(true);
    let mut unrolling = Unrolling {
        pool,
        prng: Prng::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ size as u64),
        formulas: Vec::new(),
        current: Vec::new(),
        counter: zero,
        n_counted: 0,
        sum: zero,
        n_summed: 0,
        guards: vec![always],
        violations: Vec::new(),
    };
    for _ in 0..12 {
        let input = unrolling.fresh(Sort::Bv(WIDTH));
        unrolling.current.push(input);
    }
    let n_products = 3 + unrolling.prng.below(4);
    let spacing = size as u64 / (n_products + 1);
    let mut next_product = spacing;
    while unrolling.pool.n_vars() < size {
        let is_product = unrolling.pool.n_vars() as u64 >= next_product;
        if is_product {
            next_product += spacing;
        }
        unrolling.step(is_product);
        if unrolling.prng.below(40) == 0 {
            unrolling.assertion(question);
        }
    }
    unrolling.assertion(question);
    let failure = unrolling.pool.or_all(&unrolling.violations);
    unrolling.formulas.push(failure);
    (unrolling.pool, unrolling.formulas)
}

impl Unrolling {
    fn fresh(&mut self, sort: Sort) -> TermId {
        let var = self.pool.declare(&format!("v{}", self.pool.n_vars()), sort);
        self.pool.var(var)
    }

    fn operand(&mut self) -> TermId {
        if self.prng.below(4) == 0 {
            let value = self.prng.below(200);
            return self.pool.bv(WIDTH, value);
        }
        let place = self.prng.below(self.current.len() as u64) as usize;
        self.current[place]
    }

    fn comparison(&mut self) -> TermId {
        let (a, b) = (self.operand(), self.operand());
        match self.prng.below(4) {
            0 => self.pool.eq(a, b),
            1 => self.pool.ult(a, b),
            2 => self.pool.slt(a, b),
            _ => self.pool.ne(a, b),
        }
    }

    fn guard(&self) -> TermId {
        *self.guards.last().expect("the outermost guard is always there")
    }

    /// The new version of a variable where the guard holds, its old one elsewhere.
    fn assign(&mut self, old: TermId, value: TermId) -> TermId {
        let new = self.fresh(Sort::Bv(WIDTH));
        let guard = self.guard();
        let chosen = self.pool.ite(guard, value, old);
        let equation = self.pool.eq(new, chosen);
        self.formulas.push(equation);
        new
    }

    fn step(&mut self, is_product: bool) {
        let place = self.prng.below(self.current.len() as u64) as usize;
        let old = self.current[place];
        let choice = self.prng.below(20);
        match choice {
            _ if is_product => {
                let (a, b) = (self.operand(), self.operand());
                let value = self.pool.mul(a, b);
                self.current[place] = self.assign(old, value);
            }
            0 => self.current[place] = self.fresh(Sort::Bv(WIDTH)),
            1..4 if self.guards.len() < 6 => {
                let comparison = self.comparison();
                let guard = self.guard();
                let both = self.pool.and(guard, comparison);
                let new = self.fresh(Sort::Bool);
                let equation = self.pool.eq(new, both);
                self.formulas.push(equation);
                self.guards.push(new);
            }
            4..7 if self.guards.len() > 1 => drop(self.guards.pop()),
            7 => {
                let comparison = self.comparison();
                let guard = self.guard();
                let assumption = self.pool.implies(guard, comparison);
                // Only some of them, so that most executions go on.
                let escape = self.fresh(Sort::Bool);
                let assumption = self.pool.or(assumption, escape);
                self.formulas.push(assumption);
            }
            8..10 => {
                let one = self.pool.bv(WIDTH, 1);
                let value = self.pool.add(self.counter, one);
                self.counter = self.assign(self.counter, value);
                self.n_counted += 1;
            }
            10 => {
                let (mask, operand) = (self.pool.bv(WIDTH, 0xff), self.operand());
                let byte = self.pool.bv_and(operand, mask);
                let value = self.pool.add(self.sum, byte);
                self.sum = self.assign(self.sum, value);
                self.n_summed += 1;
            }
            _ => {
                let (a, b) = (self.operand(), self.operand());
                let value = match choice % 5 {
                    0 => self.pool.add(a, b),
                    1 => self.pool.sub(a, b),
                    2 => self.pool.bv_xor(a, b),
                    3 => a,
                    _ => self.pool.bv_and(a, b),
                };
                self.current[place] = self.assign(old, value);
            }
        }
    }

    /// Adds an assertion that may fail.
    fn assertion(&mut self, question: Question) {
        let guard = self.guard();
        let claim = match question {
            Question::Inputs => {
                let comparison = self.comparison();
                let (a, b) = (self.operand(), self.operand());
                let equal = self.pool.eq(a, b);
                self.pool.implies(equal, comparison)
            }
            Question::Bounds => {
                let counted = self.pool.bv(WIDTH, self.n_counted);
                let summed = self.pool.bv(WIDTH, self.n_summed * 255);
                let (few, small) = (self.pool.ule(self.counter, counted), self.pool.ule(self.sum, summed));
                let zero = self.pool.bv(WIDTH, 0);
                (self.counter, self.n_counted) = (zero, 0);
                (self.sum, self.n_summed) = (zero, 0);
                self.pool.and(few, small)
            }
        };
        let fails = self.pool.not(claim);
        let violation = self.pool.and(guard, fails);
        self.violations.push(violation);
    }
}
