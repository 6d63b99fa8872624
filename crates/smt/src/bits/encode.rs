//! How does a term become wires?
//!
//! Operands before operators, each term once, with an explicit list of tasks instead of recursion: formulas are deep.
//! A variable with a definition (see `definitions`) becomes the wires of that term and costs nothing; others become
//! inputs. Arrays have no wires of their own, only reads of them have: a read walks down writes and choices to a
//! variable, where it is an input of its own (`arrays` keeps those inputs a function of the index).
//!
//! Invariant: what a cache holds was made under definitions that still stand. A scope remembers what was cached since it
//! was opened and forgets that when it is closed, if it made definitions; gates and inputs stay for good.

use logic::{FloatSort, Node, Op, Pool, Sort, TermId, Value, VarId};
use rustc_hash::FxHashMap;

use super::arrays::{Arrays, IndexId};
use super::definitions::Definitions;
use super::gates::{Gates, Wire};
use super::words::{self, Word};
use crate::limits::{Stop, Why};

/// The wires of terms, and what they are made of.
pub(crate) struct Encoder {
    pub(super) gates: Gates,
    pub(super) definitions: Definitions,
    pub(super) arrays: Arrays,
    cache: FxHashMap<TermId, (u32, u32)>,
    reads: FxHashMap<(TermId, IndexId), (u32, u32)>,
    arena: Vec<Wire>,
    journal: Vec<Cached>,
    /// The inputs of variables, kept when a cache forgets.
    inputs: FxHashMap<VarId, Word>,
    /// Scalar variables without definition that are in use.
    used_vars: Vec<VarId>,
}

/// What was put into a cache.
#[derive(Clone, Copy, Debug)]
enum Cached {
    Term(TermId),
    Read(TermId, IndexId),
}

/// Something to encode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Task {
    Term(TermId),
    Read(TermId, IndexId),
}

/// A moment to go back to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    journal: usize,
    arena: usize,
    used_vars: usize,
    arrays: super::arrays::Mark,
    definitions: super::definitions::Mark,
}

/// Tasks between two looks at the limits.
const POLL_PERIOD: u32 = 256;

impl Encoder {
    pub(super) fn new() -> Encoder {
        Encoder {
            gates: Gates::new(),
            definitions: Definitions::default(),
            arrays: Arrays::default(),
            cache: FxHashMap::default(),
            reads: FxHashMap::default(),
            arena: Vec::new(),
            journal: Vec::new(),
            inputs: FxHashMap::default(),
            used_vars: Vec::new(),
        }
    }

    pub(super) fn mark(&self) -> Mark {
        Mark {
            journal: self.journal.len(),
            arena: self.arena.len(),
            used_vars: self.used_vars.len(),
            arrays: self.arrays.mark(),
            definitions: self.definitions.mark(),
        }
    }

    /// Forgets the definitions made since then and what was cached under them.
    pub(super) fn forget_since(&mut self, mark: Mark) {
        if !self.definitions.any_since(mark.definitions) {
            return;
        }
        self.definitions.forget_since(mark.definitions);
        for cached in self.journal.drain(mark.journal..) {
            match cached {
                Cached::Term(term) => self.cache.remove(&term),
                Cached::Read(array, index) => self.reads.remove(&(array, index)),
            };
        }
        self.arena.truncate(mark.arena);
        self.used_vars.truncate(mark.used_vars);
        self.arrays.forget_since(mark.arrays);
    }

    /// Takes an asserted formula as a definition of a variable, if it is one.
    pub(super) fn define(&mut self, pool: &Pool, formula: TermId) -> bool {
        let Encoder { definitions, cache, arrays, .. } = self;
        definitions.accept(pool, formula, &|var, term| match pool.var_sort(var) {
            Sort::Array(..) => arrays.is_touched(term),
            _ => cache.contains_key(&term),
        })
    }

    /// The wires of a term that has some.
    pub(super) fn cached(&self, term: TermId) -> Option<&[Wire]> {
        self.cache.get(&term).map(|&(start, end)| &self.arena[start as usize..end as usize])
    }

    fn cached_read(&self, array: TermId, index: IndexId) -> Option<&[Wire]> {
        self.reads.get(&(array, index)).map(|&(start, end)| &self.arena[start as usize..end as usize])
    }

    fn remember(&mut self, cached: Cached, word: &[Wire]) {
        let start = u32::try_from(self.arena.len()).expect("fewer than 2^32 wires of terms");
        self.arena.extend_from_slice(word);
        let range = (start, self.arena.len() as u32);
        match cached {
            Cached::Term(term) => drop(self.cache.insert(term, range)),
            Cached::Read(array, index) => drop(self.reads.insert((array, index), range)),
        }
        self.journal.push(cached);
    }

    /// The wires of a scalar term; those of a formula are one wire.
    pub(super) fn word(&mut self, pool: &Pool, term: TermId, stop: &Stop) -> Result<Word, Why> {
        self.run(pool, Task::Term(term), stop)?;
        Ok(self.cached(term).expect("the task has been done").to_vec())
    }

    /// The wire of a formula.
    pub(super) fn wire(&mut self, pool: &Pool, formula: TermId, stop: &Stop) -> Result<Wire, Why> {
        Ok(self.word(pool, formula, stop)?[0])
    }

    /// The wires of an array's element.
    pub(super) fn read(&mut self, pool: &Pool, array: TermId, index: IndexId, stop: &Stop) -> Result<Word, Why> {
        self.run(pool, Task::Read(array, index), stop)?;
        Ok(self.cached_read(array, index).expect("the task has been done").to_vec())
    }

    fn run(&mut self, pool: &Pool, task: Task, stop: &Stop) -> Result<(), Why> {
        let mut tasks = vec![task];
        let mut n_done = 0u32;
        while let Some(&task) = tasks.last() {
            n_done += 1;
            if n_done.is_multiple_of(POLL_PERIOD) {
                stop.check()?;
            }
            if self.is_done(task) {
                tasks.pop();
                continue;
            }
            let n_before = tasks.len();
            match task {
                Task::Term(term) => self.term(pool, term, &mut tasks),
                Task::Read(array, index) => self.element(pool, array, index, &mut tasks),
            }
            if tasks.len() == n_before {
                tasks.pop();
            }
        }
        Ok(())
    }

    fn is_done(&self, task: Task) -> bool {
        match task {
            Task::Term(term) => self.cache.contains_key(&term),
            Task::Read(array, index) => self.reads.contains_key(&(array, index)),
        }
    }

    /// Caches the wires of a term, or asks for what they need first.
    fn term(&mut self, pool: &Pool, term: TermId, tasks: &mut Vec<Task>) {
        let word = match pool.node(term) {
            Node::Const(value) => constant(value),
            Node::Var(var) => match self.definitions.of(*var) {
                Some(definition) => match self.cached(definition) {
                    Some(word) => word.to_vec(),
                    None => return tasks.push(Task::Term(definition)),
                },
                None => self.input(*var, pool.var_sort(*var)),
            },
            Node::App { op, args } => {
                let is_array = |&arg: &TermId| matches!(pool.sort(arg), Sort::Array(..));
                let n_before = tasks.len();
                tasks.extend(
                    args.iter()
                        .filter(|arg| !is_array(arg) && !self.cache.contains_key(arg))
                        .map(|&arg| Task::Term(arg)),
                );
                if tasks.len() > n_before {
                    return;
                }
                match op {
                    Op::Select => {
                        let index = self.cached(args[1]).expect("operands come first").to_vec();
                        let index = self.arrays.index(index);
                        match self.cached_read(args[0], index) {
                            Some(word) => word.to_vec(),
                            None => return tasks.push(Task::Read(args[0], index)),
                        }
                    }
                    Op::Eq if is_array(&args[0]) => vec![self.arrays.equality(&mut self.gates, args[0], args[1])],
                    _ => {
                        let words: Vec<Word> =
                            args.iter().map(|&arg| self.cached(arg).expect("operands come first").to_vec()).collect();
                        apply(&mut self.gates, *op, &words)
                    }
                }
            }
        };
        self.remember(Cached::Term(term), &word);
    }

    /// The scalar variables in use that have no definition, with their wires.
    pub(super) fn free_vars(&self) -> impl Iterator<Item = (VarId, &Word)> {
        self.used_vars.iter().map(|var| (*var, &self.inputs[var]))
    }

    fn input(&mut self, var: VarId, sort: Sort) -> Word {
        self.used_vars.push(var);
        if let Some(word) = self.inputs.get(&var) {
            return word.clone();
        }
        let word = free_word(&mut self.gates, sort);
        self.inputs.insert(var, word.clone());
        word
    }

    /// Caches the wires of an array's element, or asks for what they need first.
    fn element(&mut self, pool: &Pool, array: TermId, index: IndexId, tasks: &mut Vec<Task>) {
        let word = match pool.node(array) {
            Node::Const(Value::Array(value)) => {
                let mut word = constant(value.default());
                for (at, element) in value.exceptions() {
                    self.arrays.mention(array, &constant(at));
                    let here = self.arrays.is_at(&mut self.gates, index, &constant(at));
                    word = self.gates.choose_word(here, &constant(element), &word);
                }
                word
            }
            Node::Var(var) => match self.definitions.of(*var) {
                Some(definition) => match self.cached_read(definition, index) {
                    Some(word) => word.to_vec(),
                    None => return tasks.push(Task::Read(definition, index)),
                },
                None => {
                    let Sort::Array(_, element) = pool.var_sort(*var) else {
                        unreachable!("only arrays are read");
                    };
                    let gates = &mut self.gates;
                    self.arrays.base_read(*var, index, || free_word(gates, element.into()))
                }
            },
            Node::App { op: Op::ConstArray(_), args } => match self.cached(args[0]) {
                Some(word) => word.to_vec(),
                None => return tasks.push(Task::Term(args[0])),
            },
            Node::App { op: Op::Store, args } => {
                let Some(at) = self.cached(args[1]) else { return tasks.push(Task::Term(args[1])) };
                let at = at.to_vec();
                let here = self.arrays.is_at(&mut self.gates, index, &at);
                let new = (here != Wire::FALSE).then_some(Task::Term(args[2]));
                let old = (here != Wire::TRUE).then_some(Task::Read(args[0], index));
                match self.both(new, old, tasks) {
                    Some([new, old]) => {
                        self.arrays.mention(array, &at);
                        self.gates.choose_word(here, &new, &old)
                    }
                    None => return,
                }
            }
            Node::App { op: Op::Ite, args } => {
                let Some(condition) = self.cached(args[0]) else { return tasks.push(Task::Term(args[0])) };
                let condition = condition[0];
                let then = (condition != Wire::FALSE).then_some(Task::Read(args[1], index));
                let otherwise = (condition != Wire::TRUE).then_some(Task::Read(args[2], index));
                match self.both(then, otherwise, tasks) {
                    Some([then, otherwise]) => self.gates.choose_word(condition, &then, &otherwise),
                    None => return,
                }
            }
            node => unreachable!("no array is made by {node:?}"),
        };
        self.arrays.touch(array, index);
        self.remember(Cached::Read(array, index), &word);
    }

    /// The wires of two alternatives; one that cannot be taken is replaced by the other. None if a task is open.
    fn both(&self, first: Option<Task>, second: Option<Task>, tasks: &mut Vec<Task>) -> Option<[Word; 2]> {
        let done = |task: Task| match task {
            Task::Term(term) => self.cached(term).map(<[Wire]>::to_vec),
            Task::Read(array, index) => self.cached_read(array, index).map(<[Wire]>::to_vec),
        };
        let words = [first, second].map(|task| task.and_then(done));
        let open =
            [first, second].into_iter().zip(&words).filter(|(_, word)| word.is_none()).filter_map(|(task, _)| task);
        let n_before = tasks.len();
        tasks.extend(open);
        if tasks.len() > n_before {
            return None;
        }
        match words {
            [Some(a), Some(b)] => Some([a, b]),
            [Some(a), None] | [None, Some(a)] => Some([a.clone(), a]),
            [None, None] => unreachable!("one of the alternatives can be taken"),
        }
    }
}

/// The number of bits of a scalar sort.
pub(super) fn scalar_width(sort: Sort) -> usize {
    match sort {
        Sort::Bool => 1,
        other => other.width().expect("arrays have no wires") as usize,
    }
}

/// New inputs for a value of this sort.
fn free_word(gates: &mut Gates, sort: Sort) -> Word {
    let word: Word = (0..scalar_width(sort)).map(|_| gates.input()).collect();
    if sort.is_float() { gates.float_from_bits(&word) } else { word }
}

pub(super) fn constant(value: &Value) -> Word {
    match value {
        Value::Bool(value) => vec![Wire::constant(*value)],
        Value::Bv(value) => words::constant(value),
        Value::F32(bits) => words::number(32, u64::from(*bits)),
        Value::F64(bits) => words::number(64, *bits),
        Value::Array(_) => unreachable!("arrays have no wires"),
    }
}

fn float_of(word: &[Wire]) -> FloatSort {
    if word.len() == 32 { FloatSort::F32 } else { FloatSort::F64 }
}

/// The wires of an operator on scalars.
fn apply(gates: &mut Gates, op: Op, args: &[Word]) -> Word {
    let all = |args: &[Word]| -> Word { args.iter().map(|arg| arg[0]).collect() };
    match (op, args) {
        (Op::And, _) => vec![gates.and_all(&all(args))],
        (Op::Or, _) => vec![gates.or_all(&all(args))],
        (_, [a]) => unary(gates, op, a),
        (_, [a, b]) => binary(gates, op, a, b),
        (Op::Ite, [c, t, e]) => gates.choose_word(c[0], t, e),
        _ => unreachable!("{op:?} is not on scalars"),
    }
}

fn unary(gates: &mut Gates, op: Op, a: &Word) -> Word {
    match op {
        Op::Not => vec![!a[0]],
        Op::Neg => gates.neg(a),
        Op::BvNot => words::not(a),
        Op::Extract { hi, lo } => a[lo as usize..=hi as usize].to_vec(),
        Op::ZeroExtend(width) => words::zero_extend(a, width as usize),
        Op::SignExtend(width) => words::sign_extend(a, width as usize),
        Op::FNeg => gates.fneg(a),
        Op::FAbs => gates.fabs(a),
        Op::FSqrt => gates.fsqrt(a),
        Op::FIsNan => vec![gates.is_nan(a)],
        Op::FloatToFloat(to) if to == float_of(a) => a.clone(),
        Op::FloatToFloat(to) => gates.float_to_float(a, to),
        Op::SbvToFloat(to) => gates.bv_to_float(a, true, to),
        Op::UbvToFloat(to) => gates.bv_to_float(a, false, to),
        Op::FloatToSbv(width) => gates.float_to_bv(a, true, width as usize),
        Op::FloatToUbv(width) => gates.float_to_bv(a, false, width as usize),
        Op::FloatToBits => a.clone(),
        Op::FloatFromBits => gates.float_from_bits(a),
        _ => unreachable!("{op:?} does not take one scalar"),
    }
}

fn binary(gates: &mut Gates, op: Op, a: &Word, b: &Word) -> Word {
    match op {
        Op::Eq => vec![gates.words_equal(a, b)],
        Op::Add => gates.add(a, b),
        Op::Sub => gates.sub(a, b),
        Op::Mul => gates.mul(a, b, a.len()),
        Op::Udiv => gates.divide(a, b).0,
        Op::Urem => gates.divide(a, b).1,
        Op::Sdiv => gates.sdiv(a, b),
        Op::Srem => gates.srem(a, b),
        Op::BvAnd => gates.zip(a, b, Gates::and),
        Op::BvOr => gates.zip(a, b, Gates::or),
        Op::BvXor => gates.zip(a, b, Gates::xor),
        Op::Shl => gates.shl(a, b),
        Op::Lshr => gates.shift_right(a, b, Wire::FALSE),
        Op::Ashr => gates.shift_right(a, b, words::sign(a)),
        Op::Ult => vec![gates.ult(a, b)],
        Op::Slt => vec![gates.slt(a, b)],
        Op::Concat => [b.as_slice(), a.as_slice()].concat(),
        Op::UmulOverflows => vec![gates.umul_overflows(a, b)],
        Op::SmulOverflows => vec![gates.smul_overflows(a, b)],
        Op::FAdd => gates.fadd(a, b),
        Op::FSub => gates.fsub(a, b),
        Op::FMul => gates.fmul(a, b),
        Op::FDiv => gates.fdiv(a, b),
        Op::FRem => gates.frem(a, b),
        Op::FEq => vec![gates.feq(a, b)],
        Op::FLt => vec![gates.flt(a, b)],
        Op::FLe => vec![gates.fle(a, b)],
        _ => unreachable!("{op:?} does not take two scalars"),
    }
}
