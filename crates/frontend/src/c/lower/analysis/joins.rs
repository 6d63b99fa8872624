//! May the program join a thread twice, itself, or what never was a thread? If the text shows that it does not, nobody has to keep in mind who was joined.
//!
//! It shows that if all joins stand in the first function, each outside of loops with a variable or an element of its own, or in one loop
//! that counts up with the element of that number; and if these variables are only given to `pthread_create` besides, so
//! that each handle is in one of them; and if each of them was given to it before, in every execution that comes so far: in the first function too, outside of branches, by itself or in one loop
//! that counts up over at least the elements that are joined and that nothing leaves early. Everything else counts as "it may": then the models keep a record.

use super::scan::{Part, children_of, constant, exprs_of, visit, visit_expr};
use crate::c::typed::{BinaryOp, Expr, ExprKind, Stmt, StmtKind, Storage, SymbolId, Unit};
use rustc_hash::FxHashSet;

const JOINS: [&str; 2] = ["pthread_join", "thrd_join"];
const CREATES: [&str; 2] = ["pthread_create", "thrd_create"];

/// Who comes back to a place that was left.
const JUMPS: [&str; 4] = ["setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp"];

/// What a join or a creation names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Named {
    symbol: SymbolId,
    element: Element,
}

/// Elements of an array, by the loop that counts them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Range {
    first: i128,
    end: End,
}

/// Up to where a loop counts, exclusively.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Number(i128),
    /// The value of a local variable that only its function can change.
    Variable(SymbolId),
    /// Its value, and one more.
    Beyond(SymbolId),
}

/// A join, or a creation that happens in every execution that comes so far; with the range of a counted element, if it is known.
#[derive(Clone, Copy, Debug)]
struct Site {
    named: Named,
    range: Option<Range>,
    /// The number of its statement, and of the loop around it if there is one.
    at: usize,
    loop_at: usize,
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
    let jumps = |unit: &Unit| unit.symbols.iter().any(|symbol| is_one_of(&symbol.name, &JUMPS));
    match units {
        [unit] => joins(unit) && (jumps(unit) || may_misjoin_in(unit, entry)),
        _ => units.iter().any(joins),
    }
}

fn is_one_of(name: &str, names: &[&str]) -> bool {
    names.contains(&name)
}

fn may_misjoin_in(unit: &Unit, entry: &str) -> bool {
    let mut sites = Sites {
        unit,
        joined: Vec::new(),
        created: Vec::new(),
        changed: Vec::new(),
        begun: Vec::new(),
        n_statements: 0,
        is_simple: true,
        n_mentions: 0,
        n_calls: 0,
    };
    for function in &unit.functions {
        let is_entry = unit.symbols[function.symbol.0 as usize].name == entry;
        let is_plain = is_entry && function.labels.is_empty();
        sites.walk(&function.body, &mut Vec::new(), (is_plain, is_plain));
    }
    if !sites.is_simple || sites.n_mentions != sites.n_calls || in_initialisers(unit, |part| is_join(unit, part)) {
        return true;
    }
    // An array of which one element is joined in a loop has no other joins.
    let is_counted = |site: &Site| matches!(site.named.element, Element::Counted(_));
    let is_again = |one: &Site, other: &Site| {
        one.named.symbol == other.named.symbol
            && (is_counted(one) || is_counted(other) || one.named.element == other.named.element)
    };
    let mut pairs =
        sites.joined.iter().enumerate().flat_map(|(n, one)| sites.joined[..n].iter().map(move |other| (one, other)));
    if pairs.any(|(one, other)| is_again(one, other)) {
        return true;
    }
    if !sites.joined.iter().all(|site| sites.is_created(site)) {
        return true;
    }
    let handles: FxHashSet<SymbolId> = sites.joined.iter().map(|site| site.named.symbol).collect();
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
    joined: Vec<Site>,
    /// What is created in every execution.
    created: Vec<Site>,
    /// Variables that are written, and the number of the statement; those whose address is taken have no number that is early enough.
    changed: Vec<(SymbolId, usize)>,
    /// Variables that are declared with a number, and the number of the statement.
    begun: Vec<(SymbolId, i128, usize)>,
    /// Statements are numbered as they stand in the text.
    n_statements: usize,
    is_simple: bool,
    /// How often functions that join are named, and how often to call them: who names them otherwise may call them with anything.
    n_mentions: usize,
    n_calls: usize,
}

/// A loop around a statement, and its number.
type Loop<'u> = (&'u Stmt, usize);

impl<'u> Sites<'u> {
    /// Looks at a statement of the first function or of another one, which comes in every case or not.
    fn walk(&mut self, stmt: &'u Stmt, loops: &mut Vec<Loop<'u>>, (is_entry, is_sure): (bool, bool)) {
        self.n_statements += 1;
        let at = self.n_statements;
        let is_loop = is_loop(stmt);
        if let StmtKind::Local { symbol, init: Some(items) } = &stmt.kind
            && let [only] = &items[..]
        {
            self.begun.extend(constant(&only.value).map(|value| (*symbol, value, at)));
        }
        for expr in exprs_of(stmt) {
            let mut joins: Vec<&'u Expr> = Vec::new();
            visit_expr(expr, &mut |part| {
                if let Part::Expr(Expr { kind: ExprKind::Call { callee, args }, .. }) = part
                    && called(self.unit, callee).is_some_and(|name| is_one_of(name, &JOINS))
                {
                    joins.extend(args.first());
                    self.n_calls += 1;
                }
                self.n_mentions += usize::from(is_join(self.unit, &part));
                self.changed.extend(changed_by(&part).map(|(symbol, when)| (symbol, when.unwrap_or(at))));
                true
            });
            // The condition and the step of a loop run as often as its body.
            let is_deep = is_loop || has_statements(expr);
            self.is_simple &= joins.is_empty() || (is_entry && !is_deep);
            if is_sure && !is_deep {
                self.note_creations(expr, loops, at);
            }
            for thread in joins {
                self.note_join(thread, loops, at);
            }
        }
        if is_loop {
            loops.push((stmt, at));
        }
        let is_sure = is_sure
            && match &stmt.kind {
                StmtKind::If { .. } | StmtKind::Switch { .. } => false,
                _ => !is_loop || (loops.len() == 1 && runs_through(stmt)),
            };
        for child in children_of(stmt) {
            self.walk(child, loops, (is_entry, is_sure));
        }
        if is_loop {
            loops.pop();
        }
    }

    /// What an expression creates in every case.
    fn note_creations(&mut self, expr: &'u Expr, loops: &[Loop<'u>], at: usize) {
        visit_expr(expr, &mut |part| match part {
            Part::Expr(Expr { kind: ExprKind::LogicalAnd(first, _) | ExprKind::LogicalOr(first, _), .. })
            | Part::Expr(Expr { kind: ExprKind::Conditional { cond: first, .. }, .. }) => {
                self.note_creations(first, loops, at);
                false
            }
            Part::Expr(Expr { kind: ExprKind::Call { callee, args }, .. }) => {
                let creates = called(self.unit, callee).is_some_and(|name| is_one_of(name, &CREATES));
                let named = args.first().filter(|_| creates).and_then(|handle| address_of(self.unit, handle));
                let site = named.map(|named| self.site(named, loops, at));
                // In a loop that may have no rounds nothing is sure but what it counts.
                self.created.extend(site.filter(|site| loops.is_empty() || site.range.is_some()));
                true
            }
            _ => true,
        });
    }

    fn note_join(&mut self, thread: &Expr, loops: &[Loop<'u>], at: usize) {
        let Some(mut named) = value_of(self.unit, thread) else {
            self.is_simple = false;
            return;
        };
        match (named.element, loops) {
            (Element::Counted(index), [(only, _)]) if counts_up(self.unit, only, index) => {}
            (Element::Counted(_), _) => named.element = Element::Any,
            _ => self.is_simple &= loops.is_empty(),
        }
        self.is_simple &= named.element != Element::Any;
        let site = self.site(named, loops, at);
        self.joined.push(site);
    }

    fn site(&self, named: Named, loops: &[Loop<'u>], at: usize) -> Site {
        let range = match (named.element, loops) {
            (Element::Counted(counter), [(only, at)]) if counts_up(self.unit, only, counter) => {
                self.range_of(only, *at, counter)
            }
            _ => None,
        };
        Site { named, range, at, loop_at: loops.first().map_or(at, |(_, at)| *at) }
    }

    /// What a loop counts that counts up by one, if it begins at a number and its end is known, too.
    fn range_of(&self, stmt: &Stmt, at: usize, counter: SymbolId) -> Option<Range> {
        let StmtKind::For { init, cond: Some(cond), .. } = &stmt.kind else { return None };
        let first = match init {
            Some(init) => assigned(init, counter)?,
            None => self.value_before(counter, at)?,
        };
        let ExprKind::Binary(op, counted, bound) = &cond.kind else { return None };
        let is_counter = variable(self.unit, counted) == Some(counter);
        let is_local = |symbol: &SymbolId| self.unit.symbols[symbol.0 as usize].storage == Storage::Auto;
        let settled = || variable(self.unit, bound).filter(is_local);
        let end = match (op, constant(bound)) {
            (BinaryOp::Lt | BinaryOp::Ne, Some(number)) => End::Number(number),
            (BinaryOp::Le, Some(number)) => End::Number(number + 1),
            (BinaryOp::Lt | BinaryOp::Ne, None) => End::Variable(settled()?),
            (BinaryOp::Le, None) => End::Beyond(settled()?),
            _ => return None,
        };
        is_counter.then_some(Range { first, end })
    }

    /// The number that a variable was declared with, if nothing writes it before a statement.
    fn value_before(&self, counter: SymbolId, at: usize) -> Option<i128> {
        let (_, value, begun) = self.begun.iter().find(|(symbol, ..)| *symbol == counter)?;
        let is_between = |(symbol, changed): &(SymbolId, usize)| *symbol == counter && begun < changed && *changed < at;
        (!self.changed.iter().any(is_between)).then_some(*value)
    }

    /// Whether what is joined has been given to a creation: the variable, or as many elements.
    fn is_created(&self, joined: &Site) -> bool {
        let before = || {
            let is_it = |created: &&Site| created.named.symbol == joined.named.symbol && created.at < joined.at;
            self.created.iter().filter(is_it)
        };
        let has = |number: i128| {
            before().any(|created| match (created.named.element, created.range) {
                (Element::At(other), _) => other == number,
                (_, Some(Range { first, end: End::Number(end) })) => (first..end).contains(&number),
                _ => false,
            })
        };
        match joined.named.element {
            Element::Whole => before().any(|created| created.named.element == Element::Whole),
            Element::At(number) => has(number),
            Element::Counted(_) => joined.range.is_some_and(|Range { first, end }| {
                let is_within = |created: &Site| {
                    created.range.is_some_and(|range| range.first <= first && self.is_as_far(range.end, end, created))
                };
                let each = |end| end - first <= MOST_ELEMENTS && (first..end).all(has);
                before().any(is_within) || matches!(end, End::Number(end) if each(end))
            }),
            Element::Any => false,
        }
    }

    /// Whether a loop that creates counts at least as far as a later one.
    fn is_as_far(&self, creating: End, joining: End, created: &Site) -> bool {
        let is_kept = |symbol| !self.changed.iter().any(|(other, at)| *other == symbol && *at >= created.loop_at);
        match (creating, joining) {
            (End::Number(creating), End::Number(joining)) => joining <= creating,
            (End::Variable(one), End::Variable(other)) | (End::Beyond(one), End::Beyond(other)) => {
                one == other && is_kept(one)
            }
            _ => false,
        }
    }
}

/// More elements are not looked at one by one.
const MOST_ELEMENTS: i128 = 1024;

/// The variable that a part of an expression writes; or whose address it takes: then it may be written at any time.
fn changed_by(part: &Part<'_>) -> Option<(SymbolId, Option<usize>)> {
    let Part::Expr(expr) = part else { return None };
    let (place, when) = match &expr.kind {
        ExprKind::Assign(place, _) | ExprKind::AssignOp { lhs: place, .. } | ExprKind::Step { lvalue: place, .. } => {
            (place, None)
        }
        ExprKind::AddressOf(place) => (place, Some(usize::MAX)),
        _ => return None,
    };
    match place.kind {
        ExprKind::Symbol(symbol) => Some((symbol, when)),
        _ => None,
    }
}

/// The number that a statement gives a variable.
fn assigned(stmt: &Stmt, variable: SymbolId) -> Option<i128> {
    match &stmt.kind {
        StmtKind::Expr(Expr { kind: ExprKind::Assign(place, value), .. }) => match place.kind {
            ExprKind::Symbol(symbol) if symbol == variable => constant(value),
            _ => None,
        },
        StmtKind::Block(stmts) => match &stmts[..] {
            [only] => assigned(only, variable),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a loop does all of its body in each of its rounds, and all rounds.
fn runs_through(stmt: &Stmt) -> bool {
    let mut runs = true;
    visit(stmt, &mut |part| {
        if let Part::Stmt(Stmt { kind, .. }) = part {
            runs &= !matches!(kind, StmtKind::Break | StmtKind::Continue | StmtKind::Return(_) | StmtKind::Goto(_));
        }
        true
    });
    runs
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
fn value_of(unit: &Unit, expr: &Expr) -> Option<Named> {
    match &expr.kind {
        ExprKind::Cast(inner) => value_of(unit, inner),
        ExprKind::Load(place) => place_of(unit, place),
        _ => None,
    }
}

/// The variable whose address an expression is.
fn address_of(unit: &Unit, expr: &Expr) -> Option<Named> {
    match &expr.kind {
        ExprKind::Cast(inner) => address_of(unit, inner),
        ExprKind::AddressOf(place) => place_of(unit, place),
        ExprKind::PointerAdd { .. } => element_of(unit, expr),
        ExprKind::Decay(array) => match &array.kind {
            ExprKind::Symbol(symbol) => Some(Named { symbol: *symbol, element: Element::At(0) }),
            _ => None,
        },
        _ => None,
    }
}

fn place_of(unit: &Unit, place: &Expr) -> Option<Named> {
    match &place.kind {
        ExprKind::Symbol(symbol) => Some(Named { symbol: *symbol, element: Element::Whole }),
        ExprKind::Deref(pointer) => element_of(unit, pointer),
        _ => None,
    }
}

fn element_of(unit: &Unit, pointer: &Expr) -> Option<Named> {
    let ExprKind::PointerAdd { pointer, index, is_sub: false, .. } = &pointer.kind else { return None };
    let ExprKind::Decay(array) = &pointer.kind else { return None };
    let ExprKind::Symbol(symbol) = array.kind else { return None };
    let element = match (constant(index), variable(unit, index)) {
        (Some(number), _) => Element::At(number),
        (None, Some(counter)) => Element::Counted(counter),
        (None, None) => Element::Any,
    };
    Some(Named { symbol, element })
}

/// The variable whose value an expression is, in a type of at least its size.
fn variable(unit: &Unit, expr: &Expr) -> Option<SymbolId> {
    match &expr.kind {
        ExprKind::Cast(inner) if unit.types.size(inner.ty.ty) <= unit.types.size(expr.ty.ty) => variable(unit, inner),
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
                (Some(name), Some(first)) if is_one_of(name, &JOINS) => value_of(unit, first),
                (Some(name), Some(first)) if is_one_of(name, &CREATES) => address_of(unit, first),
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
