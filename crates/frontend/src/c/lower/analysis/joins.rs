//! May the program join a thread twice, itself, or what never was a thread? If the text shows that it does not, nobody has to keep in mind who was joined.
//!
//! It shows that if all joins stand in the first function, each outside of loops with a variable or an element of its own, or in one loop
//! that counts up with the element of that number; and if these variables are only given to `pthread_create` besides, so
//! that each handle is in one of them; and if each of them is given to it somewhere outside of branches, of arrays as many elements as are joined. Everything else counts as "it may": then the models keep a record.

use super::scan::{Part, children_of, constant, exprs_of, visit, visit_expr};
use crate::c::typed::{BinaryOp, Expr, ExprKind, Stmt, StmtKind, Storage, SymbolId, Unit};
use rustc_hash::{FxHashMap, FxHashSet};

const JOINS: [&str; 2] = ["pthread_join", "thrd_join"];
const CREATES: [&str; 2] = ["pthread_create", "thrd_create"];

/// What a join or a creation names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Named {
    symbol: SymbolId,
    element: Element,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Element {
    /// The variable itself.
    Whole,
    /// A certain element.
    At(i128),
    /// The element that a variable counts.
    Counted(SymbolId),
    /// Some element.
    Any,
}

/// Whether some join may be wrong.
pub(in crate::c::lower) fn may_misjoin(units: &[Unit], entry: &str) -> bool {
    let joins = |unit: &Unit| unit.symbols.iter().any(|symbol| is_one_of(&symbol.name, &JOINS));
    match units {
        [unit] => joins(unit) && may_misjoin_in(unit, entry),
        _ => units.iter().any(joins),
    }
}

fn is_one_of(name: &str, names: &[&str]) -> bool {
    names.contains(&name)
}

fn may_misjoin_in(unit: &Unit, entry: &str) -> bool {
    let mut sites = Sites {
        unit,
        joined: FxHashMap::default(),
        created: Vec::new(),
        rounds: Vec::new(),
        is_simple: true,
        n_mentions: 0,
        n_calls: 0,
    };
    for function in &unit.functions {
        let is_entry = unit.symbols[function.symbol.0 as usize].name == entry;
        let mut loops = Vec::new();
        sites.walk(&function.body, &mut loops, (is_entry && function.labels.is_empty(), true));
    }
    if !sites.is_simple || sites.n_mentions != sites.n_calls || in_initialisers(unit, |part| is_join(unit, part)) {
        return true;
    }
    // An array of which one element is joined in a loop has no other joins.
    let counted: FxHashSet<SymbolId> = sites
        .joined
        .keys()
        .filter(|named| matches!(named.element, Element::Counted(_)))
        .map(|named| named.symbol)
        .collect();
    let n_of = |symbol: &SymbolId| sites.joined.keys().filter(|named| named.symbol == *symbol).count();
    if counted.iter().any(|symbol| n_of(symbol) > 1) || sites.joined.values().any(|n| *n > 1) {
        return true;
    }
    if !sites.joined.keys().all(|named| sites.is_created(named)) {
        return true;
    }
    let handles: FxHashSet<SymbolId> = sites.joined.keys().map(|named| named.symbol).collect();
    unit.functions.iter().any(|function| mentions_elsewhere(unit, &function.body, entry, &handles))
        || in_initialisers(unit, |part| is_mention(part, &handles))
}

/// Whether the initialiser of a global variable has a part of some kind.
fn in_initialisers(unit: &Unit, is_it: impl Fn(&Part<'_>) -> bool) -> bool {
    unit.globals.iter().flat_map(|global| global.init.as_deref().unwrap_or_default()).any(|item| {
        let mut found = false;
        visit_expr(&item.value, &mut |part| {
            found |= is_it(&part);
            true
        });
        found
    })
}

/// Whether a function that joins is named.
fn is_join(unit: &Unit, part: &Part<'_>) -> bool {
    matches!(part, Part::Expr(Expr { kind: ExprKind::Symbol(symbol), .. })
        if is_one_of(&unit.symbols[symbol.0 as usize].name, &JOINS))
}

struct Sites<'u> {
    unit: &'u Unit,
    joined: FxHashMap<Named, usize>,
    created: Vec<Named>,
    /// Up to where the variables count that name elements, where that is a number.
    rounds: Vec<(SymbolId, Option<i128>)>,
    is_simple: bool,
    /// How often functions that join are named, and how often to call them: who names them otherwise may call them with anything.
    n_mentions: usize,
    n_calls: usize,
}

impl<'u> Sites<'u> {
    /// Looks at a statement of the first function or of another one, which comes in every case or not.
    fn walk(&mut self, stmt: &'u Stmt, loops: &mut Vec<&'u Stmt>, (is_entry, is_sure): (bool, bool)) {
        for expr in exprs_of(stmt) {
            // The condition and the step of a loop run as often as its body.
            let is_loop = is_loop(stmt);
            let mut joins: Vec<&'u Expr> = Vec::new();
            visit_expr(expr, &mut |part| {
                if let Part::Expr(Expr { kind: ExprKind::Call { callee, args }, .. }) = part
                    && called(self.unit, callee).is_some_and(|name| is_one_of(name, &JOINS))
                {
                    joins.extend(args.first());
                    self.n_calls += 1;
                }
                self.n_mentions += usize::from(is_join(self.unit, &part));
                true
            });
            if is_sure {
                self.note_creations(expr);
            }
            let is_deep = !joins.is_empty() && (is_loop || !is_entry || has_statements(expr));
            self.is_simple &= !is_deep;
            for thread in joins {
                self.note(thread, loops);
            }
        }
        let is_loop = is_loop(stmt);
        if is_loop {
            self.rounds.extend(counted_to(stmt));
            loops.push(stmt);
        }
        let is_sure = is_sure && !matches!(stmt.kind, StmtKind::If { .. } | StmtKind::Switch { .. });
        for child in children_of(stmt) {
            self.walk(child, loops, (is_entry, is_sure));
        }
        if is_loop {
            loops.pop();
        }
    }

    /// What an expression creates in every case.
    fn note_creations(&mut self, expr: &'u Expr) {
        visit_expr(expr, &mut |part| match part {
            Part::Expr(Expr { kind: ExprKind::LogicalAnd(first, _) | ExprKind::LogicalOr(first, _), .. })
            | Part::Expr(Expr { kind: ExprKind::Conditional { cond: first, .. }, .. }) => {
                self.note_creations(first);
                false
            }
            Part::Expr(Expr { kind: ExprKind::Call { callee, args }, .. }) => {
                let creates = called(self.unit, callee).is_some_and(|name| is_one_of(name, &CREATES));
                self.created.extend(args.first().filter(|_| creates).and_then(address_of));
                true
            }
            _ => true,
        });
    }

    fn note(&mut self, thread: &Expr, loops: &[&Stmt]) {
        let Some(mut named) = value_of(thread) else {
            self.is_simple = false;
            return;
        };
        match (named.element, loops) {
            (Element::Counted(index), [only]) if counts_up(self.unit, only, index) => {}
            (Element::Counted(_), _) => named.element = Element::Any,
            _ => self.is_simple &= loops.is_empty(),
        }
        self.is_simple &= named.element != Element::Any;
        *self.joined.entry(named).or_insert(0) += 1;
    }
}

impl Sites<'_> {
    /// Whether what is joined is given to a creation somewhere: the variable, or as many elements.
    fn is_created(&self, joined: &Named) -> bool {
        let same =
            || self.created.iter().filter(|created| created.symbol == joined.symbol).map(|created| created.element);
        let has = |number: i128| {
            same().any(|element| match element {
                Element::At(other) => other == number,
                Element::Counted(counter) => self.rounds_of(counter).is_none_or(|rounds| number < rounds),
                Element::Any => true,
                Element::Whole => false,
            })
        };
        match joined.element {
            Element::Whole => same().any(|element| element == Element::Whole),
            Element::At(number) => has(number),
            Element::Counted(counter) => match self.rounds_of(counter) {
                Some(rounds) if rounds <= MOST_ELEMENTS => (0..rounds).all(has),
                _ => same().next().is_some(),
            },
            Element::Any => false,
        }
    }

    /// Up to where a variable counts at most, if that is known of all loops that count it.
    fn rounds_of(&self, counter: SymbolId) -> Option<i128> {
        let mut loops = self.rounds.iter().filter(|(other, _)| *other == counter).map(|(_, rounds)| *rounds);
        let first = loops.next()??;
        loops.try_fold(first, |most, rounds| Some(most.max(rounds?)))
    }
}

/// Of arrays with more elements it is enough that some are given to creations.
const MOST_ELEMENTS: i128 = 1024;

/// The variable that a loop's condition bounds from above, and by which number.
fn counted_to(stmt: &Stmt) -> Option<(SymbolId, Option<i128>)> {
    let StmtKind::For { cond: Some(cond), .. } = &stmt.kind else { return None };
    let ExprKind::Binary(op, counter, bound) = &cond.kind else { return None };
    let counter = variable(counter)?;
    Some(match op {
        BinaryOp::Lt => (counter, constant(bound)),
        BinaryOp::Le => (counter, constant(bound).map(|bound| bound + 1)),
        _ => (counter, None),
    })
}

fn is_loop(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::While { .. } | StmtKind::DoWhile { .. } | StmtKind::For { .. })
}

fn has_statements(expr: &Expr) -> bool {
    let mut found = false;
    visit_expr(expr, &mut |part| {
        found |= matches!(part, Part::Stmt(_));
        true
    });
    found
}

fn called<'u>(unit: &'u Unit, callee: &Expr) -> Option<&'u str> {
    match &callee.kind {
        ExprKind::Symbol(symbol) => Some(&unit.symbols[symbol.0 as usize].name),
        ExprKind::Decay(inner) | ExprKind::Cast(inner) => called(unit, inner),
        _ => None,
    }
}

/// The variable whose value an expression is.
fn value_of(expr: &Expr) -> Option<Named> {
    match &expr.kind {
        ExprKind::Cast(inner) => value_of(inner),
        ExprKind::Load(place) => place_of(place),
        _ => None,
    }
}

/// The variable whose address an expression is.
fn address_of(expr: &Expr) -> Option<Named> {
    match &expr.kind {
        ExprKind::Cast(inner) => address_of(inner),
        ExprKind::AddressOf(place) => place_of(place),
        ExprKind::PointerAdd { .. } => element_of(expr),
        ExprKind::Decay(array) => match &array.kind {
            ExprKind::Symbol(symbol) => Some(Named { symbol: *symbol, element: Element::At(0) }),
            _ => None,
        },
        _ => None,
    }
}

fn place_of(place: &Expr) -> Option<Named> {
    match &place.kind {
        ExprKind::Symbol(symbol) => Some(Named { symbol: *symbol, element: Element::Whole }),
        ExprKind::Deref(pointer) => element_of(pointer),
        _ => None,
    }
}

fn element_of(pointer: &Expr) -> Option<Named> {
    let ExprKind::PointerAdd { pointer, index, is_sub: false, .. } = &pointer.kind else { return None };
    let ExprKind::Decay(array) = &pointer.kind else { return None };
    let ExprKind::Symbol(symbol) = array.kind else { return None };
    let element = match (constant(index), variable(index)) {
        (Some(number), _) => Element::At(number),
        (None, Some(counter)) => Element::Counted(counter),
        (None, None) => Element::Any,
    };
    Some(Named { symbol, element })
}

/// The variable whose value an expression is, whatever its type.
fn variable(expr: &Expr) -> Option<SymbolId> {
    match &expr.kind {
        ExprKind::Cast(inner) => variable(inner),
        ExprKind::Load(place) => match place.kind {
            ExprKind::Symbol(symbol) => Some(symbol),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a local variable counts the rounds of a loop: only the loop's last part changes it, and by one up.
fn counts_up(unit: &Unit, stmt: &Stmt, counter: SymbolId) -> bool {
    let StmtKind::For { cond, step: Some(step), body, .. } = &stmt.kind else { return false };
    let is_counter = |expr: &Expr| matches!(expr.kind, ExprKind::Symbol(symbol) if symbol == counter);
    let steps = |expr: &Expr| match &expr.kind {
        ExprKind::Step { lvalue, is_increment: true, .. } => is_counter(lvalue),
        _ => false,
    };
    let is_private = unit.symbols[counter.0 as usize].storage == Storage::Auto;
    let mut is_kept = true;
    let mut see = |part: Part<'_>| {
        if let Part::Expr(expr) = part {
            is_kept &= match &expr.kind {
                ExprKind::Assign(lhs, _) | ExprKind::AssignOp { lhs, .. } => !is_counter(lhs),
                ExprKind::Step { lvalue, .. } => !is_counter(lvalue),
                _ => true,
            };
        }
        true
    };
    visit(body, &mut see);
    cond.iter().for_each(|cond| visit_expr(cond, &mut see));
    // Nobody can change it by its address.
    let mut is_named = true;
    for function in &unit.functions {
        visit(&function.body, &mut |part| {
            if let Part::Expr(Expr { kind: ExprKind::AddressOf(place), .. }) = part {
                is_named &= !is_counter(place);
            }
            true
        });
    }
    is_private && is_kept && is_named && steps(step)
}

fn is_mention(part: &Part<'_>, handles: &FxHashSet<SymbolId>) -> bool {
    matches!(part, Part::Expr(Expr { kind: ExprKind::Symbol(symbol), .. }) if handles.contains(symbol))
}

/// Whether one of the variables is used for more than creating and joining, or the functions by more than calls.
fn mentions_elsewhere(unit: &Unit, body: &Stmt, entry: &str, handles: &FxHashSet<SymbolId>) -> bool {
    let mut found = false;
    visit(body, &mut |part| {
        if let Part::Expr(Expr { kind: ExprKind::Call { callee, args }, .. }) = part {
            let name = called(unit, callee);
            let named = match (name, args.first()) {
                (Some(name), Some(first)) if is_one_of(name, &JOINS) => value_of(first),
                (Some(name), Some(first)) if is_one_of(name, &CREATES) => address_of(first),
                _ => None,
            };
            if named.is_some() {
                for arg in &args[1..] {
                    visit_expr(arg, &mut |part| {
                        found |= is_mention(&part, handles) || is_function(unit, &part, entry);
                        true
                    });
                }
                return false;
            }
        }
        found |= is_mention(&part, handles) || is_function(unit, &part, entry);
        true
    });
    found
}

/// Whether it names a join, or the first function, which then may run twice.
fn is_function(unit: &Unit, part: &Part<'_>, entry: &str) -> bool {
    let Part::Expr(Expr { kind: ExprKind::Symbol(symbol), .. }) = part else { return false };
    let name = &unit.symbols[symbol.0 as usize].name;
    is_one_of(name, &JOINS) || name == entry
}
