//! Which stronger orders make a program safe that a weak memory model breaks? A smallest set of places, and for each the weakest order that will do.
//!
//! Known as: fence inference, barrier synthesis; the search is by implicit hitting sets. Places that were made seq_cst and do not suffice say that one of the others is needed; a smallest set that
//! has one of each such group is asked about next, until one suffices. Atomic accesses and fences come first; accesses that are not atomic only if these do not suffice.
//!
//! What is told was verified with exactly these orders. That no fewer places will do relies on stronger orders never allowing more.

use ir::{Model, Op, Order, Program, Span, Stmt};

/// What engines say about a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Said {
    Safe,
    Unsafe,
    Unknown,
}

/// A place that can have a stronger order: an access or a fence of the user's text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Site {
    span: Span,
    what: &'static str,
    order: Order,
}

/// What to write instead, in sentences.
pub(super) fn advise(program: &Program, ask: &mut dyn FnMut(Program) -> Said) -> Vec<String> {
    if program.model == Model::Sc {
        return vec!["no advice: under sc the orders of accesses make no difference".to_string()];
    }
    let interleaved = Program { model: Model::Sc, axioms: None, ..program.clone() };
    if ask(interleaved) == Said::Unsafe {
        return vec!["no advice: it is unsafe under sc, too, so that stronger orders do not help".to_string()];
    }
    for is_atomic in [true, false] {
        let sites = sites(program, is_atomic);
        let all: Vec<usize> = (0..sites.len()).collect();
        match ask(with(program, &sites, &strongest(&all))) {
            Said::Safe => return told(program, &sites, ask),
            Said::Unsafe => {}
            Said::Unknown => return vec![gave_up()],
        }
    }
    vec!["no advice: it is unsafe even if every access is seq_cst".to_string()]
}

fn gave_up() -> String {
    "no advice: with stronger orders nobody could decide in time".to_string()
}

/// The advice, given that all sites together suffice.
fn told(program: &Program, sites: &[Site], ask: &mut dyn FnMut(Program) -> Said) -> Vec<String> {
    let mut said = |chosen: &[usize]| ask(with(program, sites, &strongest(chosen)));
    let Some(chosen) = smallest(sites.len(), &mut said) else { return vec![gave_up()] };
    let mut orders = strongest(&chosen);
    for at in 0..orders.len() {
        let site = &sites[orders[at].0];
        for weaker in weaker(site) {
            let before = std::mem::replace(&mut orders[at].1, *weaker);
            if ask(with(program, sites, &orders)) == Said::Safe {
                break;
            }
            orders[at].1 = before;
        }
    }
    let places = if orders.len() == 1 { "one place" } else { "these places, and no fewer" };
    let mut lines = vec![format!("advice, verified: with stronger orders at {places}, it is safe")];
    lines.extend(orders.iter().map(|&(index, order)| {
        let site = &sites[index];
        format!("{}: {} {} instead of {}", program.sources.place(site.span), site.what, name(order), name(site.order))
    }));
    lines
}

fn strongest(chosen: &[usize]) -> Vec<(usize, Order)> {
    chosen.iter().map(|site| (*site, Order::SeqCst)).collect()
}

/// A smallest set that suffices, if all together do; none if somebody does not know.
fn smallest(n: usize, said: &mut dyn FnMut(&[usize]) -> Said) -> Option<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    loop {
        let chosen = hits(&groups);
        match said(&chosen) {
            Said::Safe => return Some(chosen),
            Said::Unknown => return None,
            Said::Unsafe => {}
        }
        let mut grown = chosen;
        for site in 0..n {
            if !grown.contains(&site) {
                grown.push(site);
                if said(&grown) != Said::Unsafe {
                    grown.pop();
                }
            }
        }
        let group: Vec<usize> = (0..n).filter(|site| !grown.contains(site)).collect();
        if group.is_empty() {
            return None;
        }
        groups.push(group);
    }
}

/// A smallest set that has a member of each group.
fn hits(groups: &[Vec<usize>]) -> Vec<usize> {
    fn complete(groups: &[Vec<usize>], more: usize, chosen: &mut Vec<usize>) -> bool {
        let Some(missed) = groups.iter().find(|group| !group.iter().any(|site| chosen.contains(site))) else {
            return true;
        };
        more > 0
            && missed.iter().any(|site| {
                chosen.push(*site);
                let is_complete = complete(groups, more - 1, chosen);
                if !is_complete {
                    chosen.pop();
                }
                is_complete
            })
    }
    let mut chosen = Vec::new();
    let enough = (0..=groups.len()).find(|size| complete(groups, *size, &mut chosen));
    debug_assert!(enough.is_some(), "one member of each group is enough");
    chosen.sort_unstable();
    chosen
}

/// The order of an access or fence, and what it is called.
fn order_of(op: &Op) -> Option<(&'static str, Order)> {
    Some(match op {
        Op::Load { order, .. } => ("the load is", *order),
        Op::Store { order, .. } => ("the store is", *order),
        Op::Rmw { order, failure: Some(_), .. } => ("the compare-exchange, also where it fails, is", *order),
        Op::Rmw { order, .. } => ("the read-modify-write is", *order),
        Op::Fence(order) => ("the fence is", *order),
        _ => return None,
    })
}

fn site_of(program: &Program, stmt: &Stmt) -> Option<Site> {
    let (what, order) = order_of(&stmt.op)?;
    let is_own = stmt.span.is_known() && !program.sources.is_model(stmt.span);
    (is_own && order != Order::SeqCst).then_some(Site { span: stmt.span, what, order })
}

fn sites(program: &Program, is_atomic: bool) -> Vec<Site> {
    let mut found: Vec<Site> = Vec::new();
    for stmt in program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts) {
        if let Some(site) = site_of(program, stmt)
            && (site.order.is_atomic() || !is_atomic)
            && !found.contains(&site)
        {
            found.push(site);
        }
    }
    found
}

/// The program with other orders.
fn with(program: &Program, sites: &[Site], orders: &[(usize, Order)]) -> Program {
    let mut changed = program.clone();
    for stmt in changed.procs.iter_mut().flat_map(|proc| &mut proc.edges).flat_map(|edge| &mut edge.stmts) {
        let Some(site) = site_of(program, stmt) else { continue };
        let Some(&(_, new)) = orders.iter().find(|(index, _)| sites[*index] == site) else { continue };
        match &mut stmt.op {
            Op::Load { order, .. } | Op::Store { order, .. } | Op::Fence(order) => *order = new,
            Op::Rmw { order, failure, .. } => {
                *order = new;
                if let Some(failure) = failure.as_mut().filter(|_| new.acquires()) {
                    failure.order = if new == Order::SeqCst { new } else { failure.order.max(Order::Acquire) };
                }
            }
            _ => {}
        }
    }
    changed
}

/// Orders below seq_cst that are stronger than that of a site, weak ones first.
fn weaker(site: &Site) -> &'static [Order] {
    use Order::{AcqRel, Acquire, Relaxed, Release};
    let all: &'static [Order] = match site.what {
        "the load is" => &[Relaxed, Acquire],
        "the store is" => &[Relaxed, Release],
        "the fence is" => &[Acquire, Release, AcqRel],
        _ => &[Acquire, Release, AcqRel],
    };
    match site.order {
        Order::Plain | Order::Guarded => all,
        Order::Relaxed => all.strip_prefix(&[Relaxed]).unwrap_or(all),
        Order::Acquire | Order::Release => all.strip_prefix(&[Acquire, Release]).unwrap_or(&[]),
        AcqRel | Order::SeqCst | Order::Kernel(_) | Order::Barrier(_) | Order::Locked | Order::Message(_) => &[],
    }
}

fn name(order: Order) -> &'static str {
    match order {
        Order::Plain | Order::Guarded => "plain",
        Order::Relaxed => "relaxed",
        Order::Acquire => "acquire",
        Order::Release => "release",
        Order::AcqRel => "acq_rel",
        Order::SeqCst => "seq_cst",
        Order::Kernel(word) => word.name(),
        Order::Barrier(barrier) => barrier.name(),
        Order::Locked => "locked",
        Order::Message(_) => "a message",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_smallest_set_is_found() {
        let needs = |chosen: &[usize], ways: &[&[usize]]| {
            let is_enough = ways.iter().any(|way| way.iter().all(|site| chosen.contains(site)));
            if is_enough { Said::Safe } else { Said::Unsafe }
        };
        for (ways, size) in
            [(vec![&[1usize, 4][..], &[0, 2, 3]], 2), (vec![&[0usize, 1, 2][..], &[5]], 1), (vec![&[][..]], 0)]
        {
            let found = smallest(6, &mut |chosen| needs(chosen, &ways)).expect("everybody knows");
            assert_eq!(found.len(), size, "{found:?}");
            assert_eq!(needs(&found, &ways), Said::Safe);
        }
        assert_eq!(smallest(6, &mut |_| Said::Unknown), None);
        assert_eq!(smallest(3, &mut |_| Said::Unsafe), None, "all together were to suffice");
    }

    #[test]
    fn every_group_is_hit() {
        let groups = vec![vec![0, 1], vec![1, 2], vec![2, 3]];
        assert_eq!(hits(&groups).len(), 2);
        assert_eq!(hits(&[]), Vec::<usize>::new());
    }
}
