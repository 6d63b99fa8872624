//! Where in a state is what? The fixed part holds the globals and the static objects.
//!
//! A state is one byte string: the fixed part, the number of threads, a record for each thread (its location and the variables
//! that matter there), and the dynamic objects. The fixed part has only what the program can reach: globals that
//! it mentions, and static objects into which an address of the program or of another such object points.
//! Of an object all of whose bytes have a value, only the bytes are kept that the program uses (`offsets`).
//! Objects that cannot be written lie in a separate read-only part that is no part of states.
//!
//! Invariant: an object or a byte that was left out is known by its address, so that an access that gets there after all is
//! refused rather than misread.

use super::code::{bytes_of, fits, word_of};
use super::offsets::{bytes_by_handle, most_threads, used_bytes};
use ir::{Fill, ObjectKind, Place, Program, Scope};
use logic::{Node, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// How a static object is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kept {
    /// In the fixed part; the second number is where its initialisation bits are, if it has any.
    Fixed(u32, Option<u32>),
    /// Some of its bytes in the fixed part; an index into `Layout::places`.
    Parts(u32),
    /// In the read-only part.
    Constant(u32),
    /// A function or something external: an address without bytes.
    Code,
    /// Left out.
    Unreached,
}

/// A static object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Static {
    pub(crate) base: u64,
    pub(crate) size: u64,
    pub(crate) kept: Kept,
    /// Its index in the program.
    pub(crate) object: u32,
}

/// The fixed part.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    /// Where globals are.
    pub(crate) globals: FxHashMap<VarId, u32>,
    /// For those that have no value at first: where the byte is that says whether they have one now.
    pub(crate) flags: FxHashMap<VarId, u32>,
    /// Static objects by address.
    pub(crate) statics: Vec<Static>,
    /// The fixed part at the start.
    pub(crate) initial: Vec<u8>,
    /// For objects of which only parts are kept: where each byte is in the fixed part, `LEFT_OUT` if nowhere.
    pub(crate) places: Vec<Vec<u32>>,
    /// What cannot be written.
    pub(crate) constants: Vec<u8>,
    /// What stands in the way, if anything.
    pub(crate) refusal: Option<(ir::Span, String)>,
}

impl Layout {
    /// Lays out what the program reaches; with `is_whole` all bytes of it.
    pub(crate) fn new(program: &Program, is_whole: bool) -> Layout {
        let mut layout = Layout::default();
        let mut used = used_bytes(program);
        let n_threads = most_threads(program);
        let mut is_cut = vec![false; used.len()];
        for (index, object) in program.objects.iter().enumerate() {
            if let Some(bytes) = bytes_by_handle(program, object, n_threads) {
                used[index][bytes as usize..].fill(false);
                is_cut[index] = true;
            }
        }
        let (globals, constants) = mentioned(program);
        for var in globals {
            layout.add_global(program, var);
        }
        let reached = reached_objects(program, constants);
        for (index, object) in program.objects.iter().enumerate() {
            let kept = match object.kind {
                ObjectKind::Function(_) | ObjectKind::Extern => Kept::Code,
                _ if !reached.contains(&index) => Kept::Unreached,
                _ if object.size > MAX_STATIC => {
                    let what = format!("`{}`, a static object of {} bytes", object.name, object.size);
                    layout.refusal.get_or_insert((object.span, what));
                    Kept::Unreached
                }
                // Neither what is kept of them nor what is cut off reads as an address: such records are small numbers.
                ObjectKind::Data if (!is_whole || is_cut[index]) && is_sparse(object, &used[index]) => {
                    layout.add_parts(object, &used[index])
                }
                ObjectKind::Data => {
                    let at = layout.initial.len() as u32;
                    layout.initial.resize(at as usize + object.size as usize, 0);
                    let written = write_init(&mut layout.initial[at as usize..], object);
                    let is_partial = object.fill == Fill::Any && written.iter().any(|byte| !byte);
                    Kept::Fixed(at, is_partial.then(|| layout.add_bits(&written)))
                }
                ObjectKind::ReadOnly => {
                    let at = layout.constants.len() as u32;
                    layout.constants.resize(at as usize + object.size as usize, 0);
                    write_init(&mut layout.constants[at as usize..], object);
                    Kept::Constant(at)
                }
            };
            layout.statics.push(Static { base: object.base, size: object.size, kept, object: index as u32 });
        }
        layout.statics.sort_by_key(|object| object.base);
        layout
    }

    /// The static object whose range, its end included, holds the address.
    pub(crate) fn find(&self, addr: u64) -> Option<&Static> {
        let after = self.statics.partition_point(|object| object.base <= addr);
        let object = self.statics[..after].last()?;
        (addr - object.base <= object.size).then_some(object)
    }

    /// Where bytes of an object are in the fixed part, if they are.
    #[inline]
    pub(crate) fn place_of(&self, object: &Static, offset: u64, bytes: u64) -> Option<u32> {
        match object.kept {
            Kept::Fixed(at, _) => Some(at + offset as u32),
            Kept::Parts(parts) => {
                let places = &self.places[parts as usize];
                let first = places[offset as usize];
                let last = places[(offset + bytes) as usize - 1];
                (first != LEFT_OUT && last == first + bytes as u32 - 1).then_some(first)
            }
            _ => None,
        }
    }

    fn add_parts(&mut self, object: &ir::Object, used: &[bool]) -> Kept {
        let mut bytes = vec![0; object.size as usize];
        write_init(&mut bytes, object);
        let mut places = vec![LEFT_OUT; used.len()];
        for (offset, _) in used.iter().enumerate().filter(|(_, is_used)| **is_used) {
            places[offset] = self.initial.len() as u32;
            self.initial.push(bytes[offset]);
        }
        self.places.push(places);
        Kept::Parts(self.places.len() as u32 - 1)
    }

    fn add_global(&mut self, program: &Program, var: VarId) {
        let sort = program.pool.var_sort(var);
        let variable = program.var(var);
        if !fits(sort) {
            let what = format!("global `{}` of sort {sort}", program.pool.var_name(var));
            self.refusal.get_or_insert((variable.span, what));
            return;
        }
        let word = variable.init.as_ref().map_or(0, word_of);
        self.globals.insert(var, self.initial.len() as u32);
        self.initial.extend_from_slice(&word.to_le_bytes()[..bytes_of(sort) as usize]);
        if variable.init.is_none() {
            self.flags.insert(var, self.initial.len() as u32);
            self.initial.push(0);
        }
    }

    fn add_bits(&mut self, written: &[bool]) -> u32 {
        let at = self.initial.len() as u32;
        self.initial.resize(at as usize + written.len().div_ceil(8), 0);
        for (index, is_written) in written.iter().enumerate() {
            self.initial[at as usize + index / 8] |= u8::from(*is_written) << (index % 8);
        }
        at
    }
}

/// The place of a byte that is not kept. One past it is no place either, so that it is never taken for the next byte.
const LEFT_OUT: u32 = u32::MAX - 1;

/// Objects of more bytes are kept as they are.
pub(crate) const MAX_SPARSE: u64 = 1 << 16;

/// Larger static objects are refused: every state would hold them.
const MAX_STATIC: u64 = 1 << 24;

/// Whether some bytes of an object are not used, and all have a value at first.
fn is_sparse(object: &ir::Object, used: &[bool]) -> bool {
    let is_full = || write_init(&mut vec![0; object.size as usize], object).iter().all(|is_written| *is_written);
    object.size <= MAX_SPARSE && used.contains(&false) && is_full()
}

/// Writes the initial contents and tells which bytes have a value.
fn write_init(bytes: &mut [u8], object: &ir::Object) -> Vec<bool> {
    let mut written = vec![object.fill == Fill::Zero; object.size as usize];
    for (offset, value) in &object.init {
        let contents = match value {
            Value::Bool(value) => vec![u8::from(*value)],
            Value::Bv(value) => value.to_bytes_le(),
            Value::F32(bits) => bits.to_le_bytes().to_vec(),
            Value::F64(bits) => bits.to_le_bytes().to_vec(),
            Value::Array(_) => Vec::new(),
        };
        for (index, byte) in contents.into_iter().enumerate() {
            let at = *offset as usize + index;
            if at < written.len() {
                bytes[at] = byte;
                written[at] = true;
            }
        }
    }
    written
}

/// The globals that statements name, ascending, and all words that occur in terms and initial values.
fn mentioned(program: &Program) -> (Vec<VarId>, FxHashSet<u64>) {
    let mut globals = FxHashSet::default();
    let mut terms = Vec::new();
    for stmt in program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts) {
        if let ir::Op::Load { place: Place::Var(var), .. }
        | ir::Op::Store { place: Place::Var(var), .. }
        | ir::Op::Rmw { place: Place::Var(var), .. } = &stmt.op
        {
            globals.insert(*var);
        }
        terms.extend(ir::access::terms(&stmt.op));
    }
    let mut constants = FxHashSet::default();
    let mut add = |value: &Value| {
        if let Value::Bv(value) = value
            && value.width() >= program.data_model.word_bits()
        {
            constants.extend(value.limbs());
        }
    };
    for term in program.pool.post_order_of(&terms) {
        if let Node::Const(value) = program.pool.node(term) {
            add(value);
        }
    }
    for (index, variable) in program.vars.iter().enumerate() {
        if variable.scope != Scope::Global || globals.contains(&VarId(index as u32)) {
            variable.init.iter().for_each(&mut add);
        }
    }
    let mut globals: Vec<VarId> = globals.into_iter().collect();
    globals.sort_unstable();
    (globals, constants)
}

/// The objects that an address among the constants is near, and those that their contents point to.
fn reached_objects(program: &Program, constants: FxHashSet<u64>) -> FxHashSet<usize> {
    // Folding can leave an address somewhat outside of its object: `a[i - 1]` is `i` elements from below `a`.
    let slack = 1u64 << (program.data_model.granule_bits() - 1);
    let near = |object: &ir::Object, word: u64| {
        word.saturating_add(slack) >= object.base && word <= object.base.saturating_add(object.size + slack)
    };
    let mut reached = FxHashSet::default();
    let mut words: Vec<u64> = constants.into_iter().filter(|word| *word != 0).collect();
    while let Some(word) = words.pop() {
        for (index, object) in program.objects.iter().enumerate() {
            if near(object, word) && reached.insert(index) {
                let contents = object.init.iter().filter_map(|(_, value)| match value {
                    Value::Bv(value) => Some(value.as_u64()),
                    _ => None,
                });
                words.extend(contents.filter(|word| *word != 0));
            }
        }
    }
    reached
}
