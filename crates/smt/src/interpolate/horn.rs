//! Which interpolants does Spacer find?
//!
//! Each cut is an unknown predicate over the variables used on both sides; each formula of the path is a Horn clause from
//! one predicate to the next, the last one to false. The clauses do not refer back, so a solution of them is a sequence
//! of interpolants. Z3's options matter: without `fp.engine=spacer` small bit-vectors go to another engine, with
//! inlining the "solutions" are strongest postconditions, and with proxies (`keep_proxy`) Z3 4.8.12 crashes on some paths over bit-vectors. It also crashes on some paths over arrays, which it
//! is therefore not asked about.

use fixedbitset::FixedBitSet;
use logic::{Pool, Sort, TermId, VarId};
use z3_sys as z3;

use super::newton::live_vars;
use crate::integers::{Back, Translation, View, Views};
use crate::limits::{Limits, Stop, Why};
use crate::z3::binding::{Ast, AstSort, Context, Failure, Function, Params, Solver, Truth};
use crate::z3::encode::Encoder;
use crate::z3::lift::Kinds;
use crate::z3::watchdog::Watchdog;

/// How terms are given to Z3 and read back.
enum Language {
    BitVectors(Encoder),
    Integers(Box<Translation>),
}

impl Language {
    fn sort(&self, pool: &Pool, context: &Context, var: VarId) -> AstSort {
        match (self, pool.var_sort(var)) {
            (_, Sort::Bool) => context.bool_sort(),
            (Language::BitVectors(encoder), sort) => encoder.sort(sort),
            (Language::Integers(_), _) => context.int_sort(),
        }
    }
}

/// An interpolant between each two neighbours of an infeasible path. Over integers, operations with these conditions
/// (see `Side`) are taken not to wrap.
pub(super) fn horn(
    pool: &mut Pool,
    path: &[TermId],
    over_integers: Option<&[TermId]>,
    limits: &Limits,
) -> Result<Vec<TermId>, Why> {
    if path
        .iter()
        .any(|formula| pool.post_order(*formula).into_iter().any(|term| matches!(pool.sort(term), Sort::Array(..))))
    {
        return Err(Why::Incomplete("Spacer is not asked about arrays".into()));
    }
    let context = Context::new();
    let watchdog = Watchdog::new(context.interrupt_handle());
    let kinds = Kinds::learn(&context)?;
    let solver = Solver::for_logic(&context, "HORN");
    let params = Params::new(&context)
        .set_word("fp.engine", "spacer")
        .set_bool("fp.spacer.keep_proxy", false)
        .set_bool("fp.xform.inline_eager", false)
        .set_bool("fp.xform.inline_linear", false)
        .set_bool("fp.xform.slice", false);
    solver.set(&params);

    let steps: Vec<Vec<TermId>> = path.iter().map(|&formula| vec![formula]).collect();
    let live = live_vars(pool, &steps);
    let mut language = if over_integers.is_some() {
        Language::Integers(Box::new(Translation::new(&context, Views::of(pool, path))))
    } else {
        Language::BitVectors(Encoder::new(&context))
    };
    let mut bodies = Vec::new();
    for &formula in path {
        bodies.push(body(pool, &mut language, formula, over_integers.unwrap_or(&[]))?);
    }
    let predicates: Vec<Function> = (0..path.len() + 1)
        .map(|cut| {
            let sorts: Vec<AstSort> =
                vars(&live[cut]).into_iter().map(|var| language.sort(pool, &context, var)).collect();
            context.function(&format!("cut{cut}"), &sorts, &context.bool_sort())
        })
        .collect();
    for (i, body) in bodies.iter().enumerate() {
        let constants = |cut: usize| -> Result<Vec<Ast>, Failure> {
            vars(&live[cut])
                .into_iter()
                .map(|var| context.numbered_constant(var.0, &language.sort(pool, &context, var)))
                .collect()
        };
        let mut premises = vec![body.formula.clone()];
        if i > 0 {
            premises.push(context.apply(&predicates[i], &constants(i)?)?);
        }
        let conclusion = if i + 1 == path.len() {
            context.nullary(z3::Z3_mk_false)?
        } else {
            context.apply(&predicates[i + 1], &constants(i + 1)?)?
        };
        let premise = context.variadic(z3::Z3_mk_and, &premises)?;
        let rule = context.binary(z3::Z3_mk_implies, &premise, &conclusion)?;
        let mut bound = body.constants.clone();
        for constant in constants(i)?.into_iter().chain(constants(i + 1)?) {
            if bound.iter().all(|other| other.address() != constant.address()) {
                bound.push(constant);
            }
        }
        solver.assert(&context.forall(&bound, &rule)?);
    }
    let (truth, stopped) = watchdog.guard(Stop::begin(limits), || solver.check(&[]));
    if let Some(why) = stopped {
        return Err(why);
    }
    match truth {
        Truth::Sat => {}
        Truth::Unsat => return Err(Why::Incomplete("Spacer finds the path feasible".into())),
        Truth::Unknown => return Err(Failure::from_reason(solver.reason_unknown()).into()),
    }
    let model = solver.model()?;
    let mut result = Vec::new();
    for cut in 1..path.len() {
        let bound: Vec<VarId> = vars(&live[cut]);
        let terms: Vec<TermId> = bound.iter().map(|&var| pool.var(var)).collect();
        let unreadable = || Why::Incomplete("Spacer's answer cannot be read".into());
        let meaning = match model.function(&predicates[cut]) {
            Some((points, meaning)) if points.is_empty() => meaning,
            // A predicate without variables is a constant.
            _ if terms.is_empty() => model.evaluate(&context.apply(&predicates[cut], &[])?)?,
            _ => return Err(unreadable()),
        };
        let term = match &language {
            Language::BitVectors(_) => kinds.lift(pool, &meaning, &terms),
            Language::Integers(translation) => {
                let views: Vec<(TermId, View)> = terms.iter().map(|&term| (term, translation.view(term))).collect();
                Back::new(&kinds, views).formula(pool, &meaning)
            }
        };
        result.push(term.ok_or_else(unreadable)?);
    }
    Ok(result)
}

/// A formula for Z3, and the constants in it.
struct Body {
    formula: Ast,
    constants: Vec<Ast>,
}

fn body(pool: &mut Pool, language: &mut Language, formula: TermId, exact: &[TermId]) -> Result<Body, Failure> {
    match language {
        Language::BitVectors(encoder) => {
            let ast = encoder.term(pool, formula)?;
            let used = pool.free_vars(formula);
            let constants: Result<Vec<Ast>, Failure> =
                vars(&used).into_iter().map(|var| encoder.var(pool, var)).collect();
            Ok(Body { formula: ast, constants: constants? })
        }
        Language::Integers(translation) => {
            let ast = translation.formula(pool, formula)?;
            let below = pool.post_order(formula);
            // In range are all variables and whatever has no integer form; some results are known to be exact.
            let mut conjuncts = vec![ast];
            conjuncts
                .extend(translation.ranges.iter().filter(|(term, _)| below.contains(term)).map(|(_, ast)| ast.clone()));
            let sides = translation.sides_of(pool, formula).into_iter().map(|side| &translation.sides[side]);
            conjuncts.extend(sides.filter(|side| exact.contains(&side.condition)).map(|side| side.ast.clone()));
            let used = pool.free_vars(formula);
            let mut constants: Vec<Ast> = translation
                .vars
                .iter()
                .filter(|(var, _)| used.contains(var.index()))
                .map(|(_, ast)| ast.clone())
                .collect();
            constants
                .extend(translation.fresh.iter().filter(|(term, _)| below.contains(term)).map(|(_, ast)| ast.clone()));
            let context = translation.context.clone();
            Ok(Body { formula: context.variadic(z3::Z3_mk_and, &conjuncts)?, constants })
        }
    }
}

fn vars(set: &FixedBitSet) -> Vec<VarId> {
    set.ones().map(|var| VarId(var as u32)).collect()
}
