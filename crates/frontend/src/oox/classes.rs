//! Who is who? Classes and interfaces with their supertypes, fields as slots, and for every call the method it means.
//!
//! Methods of one name are told apart by their parameter types; a call means the most specific one whose parameters take the
//! arguments. A class runs its own method for a signature, else its superclass's, else the first default method of its
//! interfaces. A class that lacks one is an error.

use super::ast::{ClassDecl, MethodDecl, Name, TypeName};
use ir::oox::{Base, Class, ClassId, Field, MethodId, Slot, Type};
use ir::{Diagnostic, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// A class may have this many supertypes; longer lines would make a table for each class too large.
const MAX_SUPERTYPES: usize = 500;

/// A class may have this many fields, so that a slot always has a number.
const MAX_FIELDS: usize = 30_000;

/// What is known of a method before its body is looked at.
#[derive(Clone, Debug)]
pub(super) struct Signature {
    pub(super) name: String,
    pub(super) class: ClassId,
    pub(super) is_static: bool,
    pub(super) is_constructor: bool,
    pub(super) params: Vec<Type>,
    pub(super) returns: Type,
    /// The method with a body; none for an abstract one.
    pub(super) method: Option<MethodId>,
    pub(super) span: Span,
}

/// All classes and methods of a program.
pub(super) struct Classes {
    pub(super) classes: Vec<Class>,
    by_name: BTreeMap<String, ClassId>,
    /// Direct supertypes: the superclass first.
    direct: Vec<Vec<ClassId>>,
    pub(super) signatures: Vec<Signature>,
    /// For each class the places of its signatures.
    own: Vec<Vec<usize>>,
    /// What has been declared: class, whether a constructor, name, parameters.
    known: FxHashSet<(ClassId, bool, String, Vec<Type>)>,
    /// Numbers of what can be called dynamically.
    numbers: BTreeMap<(String, Vec<Type>), u32>,
    /// The classes with a constructor that nobody wrote, in the order of their methods.
    pub(super) defaults: Vec<ClassId>,
    pub(super) problems: Vec<Diagnostic>,
}

impl Classes {
    /// Looks at all declarations. The methods with a body are numbered in the order of the text.
    pub(super) fn new(decls: &[ClassDecl]) -> Classes {
        let mut this = Classes {
            classes: Vec::new(),
            by_name: BTreeMap::new(),
            direct: Vec::new(),
            signatures: Vec::new(),
            own: vec![Vec::new(); decls.len()],
            known: FxHashSet::default(),
            numbers: BTreeMap::new(),
            defaults: Vec::new(),
            problems: Vec::new(),
        };
        this.declare(decls);
        this.find_supertypes(decls);
        if this.problems.is_empty() {
            this.find_fields(decls);
            this.find_methods(decls);
            this.fill_dispatch();
        }
        this
    }

    fn declare(&mut self, decls: &[ClassDecl]) {
        for (index, decl) in decls.iter().enumerate() {
            let id = ClassId(index as u32);
            if self.by_name.insert(decl.name.text.clone(), id).is_some() {
                self.complain(decl.name.span, format!("there are two classes `{}`", decl.name.text));
            }
            self.classes.push(Class {
                name: decl.name.text.clone(),
                span: decl.name.span,
                is_interface: decl.is_interface,
                parent: None,
                supertypes: Vec::new(),
                fields: Vec::new(),
                dispatch: FxHashMap::default(),
            });
        }
    }

    pub(super) fn complain(&mut self, span: Span, message: impl Into<String>) {
        self.problems.push(Diagnostic::error(span, message));
    }

    /// The class of that name.
    pub(super) fn class_named(&self, name: &str) -> Option<ClassId> {
        self.by_name.get(name).copied()
    }

    fn find_supertypes(&mut self, decls: &[ClassDecl]) {
        for (index, decl) in decls.iter().enumerate() {
            let mut direct = Vec::new();
            let wanted = |names: &[Name], is_interface: bool| {
                names.iter().map(move |n| (n.clone(), is_interface)).collect::<Vec<_>>()
            };
            let mut all = wanted(&decl.extends, decl.is_interface);
            all.extend(wanted(&decl.implements, true));
            for (name, is_interface) in all {
                match self.class_named(&name.text) {
                    None => self.complain(name.span, format!("there is no class `{}`", name.text)),
                    Some(id) if self.classes[id.0 as usize].is_interface != is_interface => {
                        let word = if is_interface { "interface" } else { "class" };
                        self.complain(name.span, format!("`{}` is no {word}", name.text));
                    }
                    Some(id) => {
                        if !is_interface {
                            self.classes[index].parent = Some(id);
                        }
                        direct.push(id);
                    }
                }
            }
            self.direct.push(direct);
        }
        for (index, decl) in decls.iter().enumerate() {
            let mut all = vec![ClassId(index as u32)];
            let mut at = 0;
            while let Some(class) = all.get(at).copied() {
                for parent in self.direct[class.0 as usize].clone() {
                    if parent.0 as usize == index {
                        self.complain(decl.name.span, format!("`{}` is its own supertype", decl.name.text));
                        return;
                    }
                    if !all.contains(&parent) {
                        all.push(parent);
                    }
                }
                at += 1;
                if all.len() > MAX_SUPERTYPES {
                    let message = format!("`{}` has more than {MAX_SUPERTYPES} supertypes", decl.name.text);
                    self.complain(decl.name.span, message);
                    return;
                }
            }
            all.sort_unstable();
            self.classes[index].supertypes = all;
        }
    }

    /// The superclasses of a class, the nearest first, itself included.
    pub(super) fn line(&self, class: ClassId) -> Vec<ClassId> {
        let mut line = vec![class];
        while let Some(parent) = self.classes[line[line.len() - 1].0 as usize].parent {
            line.push(parent);
        }
        line
    }

    fn find_fields(&mut self, decls: &[ClassDecl]) {
        for index in 0..decls.len() {
            let mut fields: Vec<Field> = Vec::new();
            let mut places: FxHashMap<&str, usize> = FxHashMap::default();
            let mut own: FxHashSet<&str> = FxHashSet::default();
            let mut line = self.line(ClassId(index as u32));
            line.reverse();
            for class in line {
                for (ty, name) in &decls[class.0 as usize].fields {
                    let found = self.resolve(ty);
                    let same = places.get(name.text.as_str()).map(|place| fields[*place].ty);
                    let is_own = class.0 as usize == index && !own.insert(&name.text);
                    // Each problem is told once, at the class that declares the field.
                    match (found, same) {
                        (Err(problem), _) if class.0 as usize == index => self.problems.push(problem),
                        (Err(_), _) => {}
                        (Ok(ty), None) => {
                            places.insert(&name.text, fields.len());
                            fields.push(Field { name: name.text.clone(), ty });
                        }
                        (Ok(ty), Some(same)) if class.0 as usize == index => {
                            if is_own || same != ty {
                                let message = format!("there is already a field `{}`", name.text);
                                self.complain(name.span, message);
                            }
                        }
                        (Ok(_), Some(_)) => {}
                    }
                }
            }
            if fields.len() > MAX_FIELDS {
                self.complain(decls[index].name.span, format!("a class has at most {MAX_FIELDS} fields"));
            }
            self.classes[index].fields = fields;
        }
    }

    /// The type that is written there.
    pub(super) fn resolve(&self, ty: &TypeName) -> Result<Type, Diagnostic> {
        let base = match ty.name.as_str() {
            "int" => Base::Int,
            "uint" => Base::Uint,
            "bool" => Base::Bool,
            "float" => Base::Float,
            "char" => Base::Char,
            "string" => Base::String,
            "void" => Base::Void,
            name => match self.class_named(name) {
                Some(id) => Base::Class(id),
                None => return Err(Diagnostic::error(ty.span, format!("there is no type `{name}`"))),
            },
        };
        Ok(Type { base, dims: ty.dims })
    }

    fn find_methods(&mut self, decls: &[ClassDecl]) {
        let mut n_methods = 0;
        for (index, decl) in decls.iter().enumerate() {
            for method in &decl.methods {
                let id = method.body.is_some().then(|| {
                    n_methods += 1;
                    MethodId(n_methods - 1)
                });
                match self.signature(ClassId(index as u32), method, id) {
                    Ok(signature) => self.add_signature(signature),
                    Err(problems) => self.problems.extend(problems),
                }
            }
        }
        self.add_default_constructors(n_methods);
    }

    /// A class that declares no constructor has one without parameters; their methods come after all others.
    fn add_default_constructors(&mut self, mut next: u32) {
        for index in 0..self.classes.len() {
            let (id, span) = (ClassId(index as u32), self.classes[index].span);
            if self.classes[index].is_interface || !self.constructors(id).is_empty() {
                continue;
            }
            self.own[index].push(self.signatures.len());
            self.signatures.push(Signature {
                name: self.classes[index].name.clone(),
                class: id,
                is_static: false,
                is_constructor: true,
                params: Vec::new(),
                returns: Type::class(id),
                method: Some(MethodId(next)),
                span,
            });
            self.defaults.push(id);
            next += 1;
        }
    }

    fn signature(
        &self,
        class: ClassId,
        decl: &MethodDecl,
        method: Option<MethodId>,
    ) -> Result<Signature, Vec<Diagnostic>> {
        let mut problems = Vec::new();
        let params =
            decl.params.iter().filter_map(|(ty, _)| self.resolve(ty).map_err(|p| problems.push(p)).ok()).collect();
        let returns = self.resolve(&decl.returns).map_err(|p| problems.push(p)).unwrap_or(Type::VOID);
        if !problems.is_empty() {
            return Err(problems);
        }
        Ok(Signature {
            name: decl.name.text.clone(),
            class,
            is_static: decl.is_static,
            is_constructor: decl.is_constructor,
            params,
            returns: if decl.is_constructor { Type::class(class) } else { returns },
            method,
            span: decl.name.span,
        })
    }

    fn add_signature(&mut self, signature: Signature) {
        let key = (signature.class, signature.is_constructor, signature.name.clone(), signature.params.clone());
        if !self.known.insert(key) {
            self.complain(
                signature.span,
                format!("there is already a method `{}` with these parameters", signature.name),
            );
        }
        if !signature.is_static && !signature.is_constructor {
            let next = self.numbers.len() as u32;
            self.numbers.entry((signature.name.clone(), signature.params.clone())).or_insert(next);
        }
        self.own[signature.class.0 as usize].push(self.signatures.len());
        self.signatures.push(signature);
    }

    /// The number by which objects look a method up.
    pub(super) fn number(&self, signature: &Signature) -> u32 {
        self.numbers[&(signature.name.clone(), signature.params.clone())]
    }

    fn fill_dispatch(&mut self) {
        for index in 0..self.classes.len() {
            let id = ClassId(index as u32);
            // All declarations of each signature, the nearest first.
            let mut all: BTreeMap<u32, Vec<Signature>> = BTreeMap::new();
            for signature in self.declarations(id, |s| !s.is_static) {
                all.entry(self.number(&signature)).or_default().push(signature);
            }
            let mut dispatch = FxHashMap::default();
            for (number, found) in all {
                let (first, name) = (&found[0], &found[0].name);
                let body = found.iter().find_map(|s| s.method);
                let own_span = self.classes[index].span;
                if body.is_none() && !self.classes[index].is_interface {
                    let owner = self.classes[first.class.0 as usize].name.clone();
                    let message =
                        format!("class `{}` has no `{name}` of interface `{owner}`", self.classes[index].name);
                    self.complain(own_span, message);
                }
                for other in &found {
                    if first.class == id && !self.is_assignable(first.returns, other.returns) {
                        let owner = self.classes[other.class.0 as usize].name.clone();
                        self.complain(first.span, format!("`{name}` returns another type than in `{owner}`"));
                    }
                }
                dispatch.extend(body.map(|body| (number, body)));
            }
            self.classes[index].dispatch = dispatch;
        }
    }

    /// Declarations in a class and its supertypes, the nearest first: superclasses, then interfaces.
    fn declarations(&self, class: ClassId, is_wanted: impl Fn(&Signature) -> bool) -> Vec<Signature> {
        let line = self.line(class);
        let interfaces = line.iter().flat_map(|class| {
            // Nearer interfaces first.
            let mut all: Vec<ClassId> = Vec::new();
            let mut open: Vec<ClassId> = vec![*class];
            while let Some(next) = (!open.is_empty()).then(|| open.remove(0)) {
                for parent in &self.direct[next.0 as usize] {
                    if self.classes[parent.0 as usize].is_interface && !all.contains(parent) {
                        all.push(*parent);
                        open.push(*parent);
                    }
                }
            }
            all
        });
        let order: Vec<ClassId> = line.iter().copied().chain(interfaces).collect();
        let mut found: Vec<Signature> = Vec::new();
        for class in order {
            let own = self.own[class.0 as usize].iter().map(|place| &self.signatures[*place]);
            found.extend(own.filter(|s| !s.is_constructor && is_wanted(s)).cloned());
        }
        found
    }

    /// The methods of that name that a value of a class has, the nearest declaration of each.
    pub(super) fn methods_named(&self, class: ClassId, name: &str) -> Vec<Signature> {
        let mut found: Vec<Signature> = Vec::new();
        for signature in self.declarations(class, |s| s.name == name) {
            if !found.iter().any(|other| other.params == signature.params) {
                found.push(signature);
            }
        }
        found
    }

    /// The constructors of a class.
    pub(super) fn constructors(&self, class: ClassId) -> Vec<Signature> {
        let own = self.own[class.0 as usize].iter().map(|place| &self.signatures[*place]);
        own.filter(|s| s.is_constructor).cloned().collect()
    }

    /// A field of a class.
    pub(super) fn field(&self, class: ClassId, name: &str) -> Option<(Slot, Type)> {
        let fields = &self.classes[class.0 as usize].fields;
        let slot = fields.iter().position(|field| field.name == name)?;
        Some((slot as Slot, fields[slot].ty))
    }

    /// Whether a value of type `from` may be kept where `to` is wanted.
    pub(super) fn is_assignable(&self, from: Type, to: Type) -> bool {
        if from == to {
            return true;
        }
        match (from.base, to.base) {
            (Base::Null, _) => to.is_reference() || to.base == Base::String,
            (Base::Class(from_class), Base::Class(to_class)) if from.dims == 0 && to.dims == 0 => {
                self.classes[from_class.0 as usize].supertypes.contains(&to_class)
            }
            _ => false,
        }
    }

    /// The one method that arguments of these types mean.
    pub(super) fn choose<'a>(&self, candidates: &'a [Signature], args: &[Type]) -> Result<&'a Signature, Choice> {
        let accepts = |s: &&Signature| {
            s.params.len() == args.len()
                && s.params.iter().zip(args).all(|(param, arg)| self.is_acceptable(*arg, *param))
        };
        let fitting: Vec<&Signature> = candidates.iter().filter(accepts).collect();
        let is_most_specific = |s: &&&Signature| {
            fitting.iter().all(|other| s.params.iter().zip(&other.params).all(|(a, b)| self.is_acceptable(*a, *b)))
        };
        match fitting.as_slice() {
            [] => Err(Choice::None),
            [one] => Ok(one),
            _ => fitting.iter().find(is_most_specific).copied().ok_or(Choice::Several),
        }
    }

    /// Likewise for arguments, where a literal may stand for several types and null for every one.
    fn is_acceptable(&self, arg: Type, param: Type) -> bool {
        let is_number = |ty: Type| ty.dims == 0 && matches!(ty.base, Base::Int);
        self.is_assignable(arg, param) || arg == Type::NULL || is_number(arg) && param.is_numeric()
    }
}

/// Why no method was chosen.
pub(super) enum Choice {
    /// None takes the arguments.
    None,
    /// Several do, none of them best.
    Several,
}
