//! Initialisers: from nested, designated, brace-elided lists to a flat list of (offset, value).
//!
//! A list is read with a stack of frames, one for each aggregate that is being filled: the list's own object at the
//! bottom, and above it those that were entered without braces of their own. An item goes to the current part of the top
//! frame, entering it first as long as it is an aggregate that the item cannot initialise as a whole. A designator
//! resets the stack and walks down to the part it names; the next item goes on from there, as C has it.
//!
//! Invariant: items are in source order and later ones win. Where a later item replaces a whole aggregate or another
//! member of a union, the earlier items inside are taken out, because the later ones need not cover them.

use ir::Span;

use super::super::super::ast::{self, Designator, Encoding, InitializerKind};
use super::super::super::typed::{Expr, ExprKind, InitItem};
use super::super::super::types::{Field, IntKind, QualType, Type, TypeId};
use super::super::constant::Constant;
use super::super::{Checked, Checker};

/// Ranges such as `[0 ... 99999]` are copied out; longer ones are refused.
const ITEM_LIMIT: usize = 1 << 20;

/// A part of an object that can be initialised.
#[derive(Clone, Copy, Debug)]
struct Part {
    ty: QualType,
    offset: u64,
    bits: Option<(u32, u32)>,
    /// The storage unit of a bit-field, where it is not of type `ty`.
    unit: Option<TypeId>,
}

/// An aggregate that is being filled.
#[derive(Clone, Debug)]
struct Frame {
    part: Part,
    /// Which of its parts is next.
    index: u64,
}

/// The items so far.
#[derive(Default)]
struct Filling {
    items: Vec<InitItem>,
    /// No item reaches beyond this offset; what starts here replaces nothing.
    end: u64,
    /// The number of elements of the outermost array, if its length is open.
    len: u64,
    /// How many lists are open; the outermost one gives an open array its length.
    depth: u32,
    is_static: bool,
}

impl Checker {
    /// Flattens an initialiser. The type comes back completed, where the initialiser gives an array its length.
    pub(in super::super) fn initialize(
        &mut self,
        ty: QualType,
        initializer: &ast::Initializer,
        is_static: bool,
    ) -> Checked<(QualType, Vec<InitItem>)> {
        let mut filling = Filling { is_static, ..Filling::default() };
        let whole = Part { ty, offset: 0, bits: None, unit: None };
        if let (InitializerKind::Expr(value), true) = (&initializer.kind, self.types.is_array(ty.ty))
            && let Some(completed) = self.array_from_expr(ty, value, &mut filling)?
        {
            return Ok((completed, filling.items));
        }
        self.fill(whole, initializer, &mut filling)?;
        let ty = match *self.types.get(ty.ty) {
            Type::Array { element, len: None } => {
                let len = Some(filling.len);
                QualType { ty: self.types.intern(Type::Array { element, len }), ..ty }
            }
            _ => ty,
        };
        Ok((ty, filling.items))
    }

    /// The items of an object that is initialised by one value.
    pub(super) fn initialize_by(&mut self, ty: QualType, value: Expr, is_static: bool) -> Checked<Vec<InitItem>> {
        let mut filling = Filling { is_static, ..Filling::default() };
        self.push_value(Part { ty, offset: 0, bits: None, unit: None }, value, &mut filling)?;
        Ok(filling.items)
    }

    /// GNU: an array initialised by a compound literal, whose items then are the array's.
    fn array_from_expr(&mut self, ty: QualType, value: &ast::Expr, filling: &mut Filling) -> Checked<Option<QualType>> {
        let ast::ExprKind::CompoundLiteral { type_name, initializer } = &value.kind else { return Ok(None) };
        let literal = self.type_name(type_name)?;
        if !self.compatible_plain(literal.ty, ty.ty) {
            return Ok(None);
        }
        let (literal, items) = self.initialize(literal, initializer, filling.is_static)?;
        filling.items = items;
        let is_open = matches!(self.types.get(ty.ty), Type::Array { len: None, .. });
        Ok(Some(if is_open { QualType { ty: literal.ty, ..ty } } else { ty }))
    }

    /// Initialises one part by one initialiser.
    fn fill(&mut self, part: Part, initializer: &ast::Initializer, filling: &mut Filling) -> Checked<()> {
        match &initializer.kind {
            InitializerKind::Expr(value) => {
                if let Some(literal) = self.string_for(part.ty, value) {
                    self.push_string(part, literal, value.span, filling);
                    return Ok(());
                }
                let value = self.value(value)?;
                self.push_value(part, value, filling)
            }
            InitializerKind::List(items) => self.fill_list(part, items, initializer.span, filling),
        }
    }

    fn fill_list(
        &mut self,
        part: Part,
        items: &[ast::InitializerItem],
        span: Span,
        filling: &mut Filling,
    ) -> Checked<()> {
        self.remove_inside(part, filling);
        if let [only] = items
            && let (true, InitializerKind::Expr(value)) = (only.designators.is_empty(), &only.initializer.kind)
            && let Some(literal) = self.string_for(part.ty, value)
        {
            self.push_string(part, literal, value.span, filling);
            return Ok(());
        }
        if self.types.is_scalar(part.ty.ty) {
            let Some(first) = items.first() else {
                let zero = self.make_int(0, IntKind::Int, span);
                let zero = self.assign_to(zero, part.ty, "this initialiser")?;
                return self.push_value(part, zero, filling);
            };
            if items.len() > 1 {
                self.warn(span, "only the first of these initialisers is used");
            }
            return self.fill(part, &first.initializer, filling);
        }
        if !matches!(self.types.get(part.ty.ty), Type::Record(_) | Type::Array { .. }) {
            let name = self.text(part.ty);
            return Err(match self.types.get(part.ty.ty) {
                Type::Opaque { .. } => self.refuse(span, format!("initialisers of type {name}")),
                _ => self.error(span, format!("an object of type {name} cannot be initialised by a list")),
            });
        }
        if let Type::Record(id) = self.types.get(part.ty.ty)
            && self.types.record(*id).fields.is_none()
        {
            let name = self.text(part.ty);
            return Err(self.error(span, format!("{name} is incomplete here and cannot be initialised")));
        }
        self.fill_aggregate(part, items, filling)
    }

    fn fill_aggregate(&mut self, whole: Part, items: &[ast::InitializerItem], filling: &mut Filling) -> Checked<()> {
        let mut frames = vec![Frame { part: whole, index: 0 }];
        let mut result = Ok(());
        filling.depth += 1;
        for item in items {
            let first_new = filling.items.len();
            let repeats = match self.designate(&mut frames, &item.designators, item.initializer.span, filling) {
                Ok(repeats) => repeats,
                Err(reported) => {
                    result = Err(reported);
                    continue;
                }
            };
            let first_new = first_new.min(filling.items.len());
            match self.place(&mut frames, &item.initializer, filling) {
                Ok(true) => {}
                Ok(false) => {
                    self.warn(item.initializer.span, "there is nothing left for this initialiser");
                    continue;
                }
                Err(reported) => result = Err(reported),
            }
            for (count, stride) in repeats {
                if let Err(reported) = self.repeat(first_new, count, stride, item.initializer.span, filling) {
                    result = Err(reported);
                }
            }
            if filling.depth == 1 {
                let is_inside = frames.len() > 1;
                filling.len = filling.len.max(frames[0].index + u64::from(is_inside));
            }
        }
        filling.depth -= 1;
        result
    }

    /// Copies the items made since `first` to the elements before, for a designator such as `[0 ... 9]`.
    fn repeat(&mut self, first: usize, count: u64, stride: u64, span: Span, filling: &mut Filling) -> Checked<()> {
        let made: Vec<InitItem> = filling.items.split_off(first.min(filling.items.len()));
        let n_items = (made.len() as u64).saturating_mul(count.saturating_add(1));
        if n_items > ITEM_LIMIT as u64 {
            return Err(self.refuse(span, "an initialiser that is repeated this often"));
        }
        if count > 0 && made.iter().any(|item| !self.is_pure(&item.value)) {
            return Err(self.refuse(span, "a repeated initialiser with side effects"));
        }
        for step in (0..=count).rev() {
            for item in &made {
                filling.items.push(InitItem { offset: item.offset - step * stride, ..item.clone() });
            }
        }
        Ok(())
    }

    /// Whether evaluating an expression again changes nothing; false when in doubt.
    fn is_pure(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::String(_) | ExprKind::Symbol(_) => true,
            ExprKind::Cast(inner) | ExprKind::AddressOf(inner) | ExprKind::Decay(inner) => self.is_pure(inner),
            ExprKind::Unary(_, inner) => self.is_pure(inner),
            ExprKind::Binary(_, left, right) => self.is_pure(left) && self.is_pure(right),
            ExprKind::PointerAdd { pointer, index, .. } => self.is_pure(pointer) && self.is_pure(index),
            ExprKind::Member { base, .. } => self.is_pure(base),
            ExprKind::Load(object) => match object.kind {
                ExprKind::Symbol(symbol) => {
                    let variable = &self.symbols[symbol.0 as usize];
                    let is_local = variable.storage.is_local();
                    is_local && !variable.address_taken && !object.ty.is_volatile
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Follows designators from the list's own object. Returns how often, and with which stride in bytes, what is
    /// placed there is to be copied to earlier elements.
    fn designate(
        &mut self,
        frames: &mut Vec<Frame>,
        designators: &[Designator],
        span: Span,
        filling: &mut Filling,
    ) -> Checked<Vec<(u64, u64)>> {
        let mut repeats = Vec::new();
        if designators.is_empty() {
            return Ok(repeats);
        }
        frames.truncate(1);
        for (position, designator) in designators.iter().enumerate() {
            if position > 0 {
                let top = self.top(frames);
                let Some(part) = self.part_at(top.part, top.index) else {
                    return Err(self.error(span, "this designator names nothing"));
                };
                frames.push(Frame { part, index: 0 });
            }
            let top = self.top(frames);
            match designator {
                Designator::Field(name, field_span) => {
                    let Type::Record(id) = *self.types.get(top.part.ty.ty) else {
                        let text = self.text(top.part.ty);
                        return Err(self.error(*field_span, format!("{text} has no members, so no {name}")));
                    };
                    if !self.enter_field(frames, id, name, filling) {
                        let text = self.text(top.part.ty);
                        return Err(self.error(*field_span, format!("{text} has no member {name}")));
                    }
                }
                Designator::Index(index) => {
                    let index = self.designated_index(&top, index)?;
                    self.set_index(frames, index);
                }
                Designator::Range(first, last) => {
                    let first = self.designated_index(&top, first)?;
                    let last = self.designated_index(&top, last)?;
                    if first > last {
                        return Err(self.error(span, "this range is empty"));
                    }
                    let element = self.types.element(top.part.ty.ty).unwrap_or(top.part.ty);
                    repeats.push((last - first, self.size_of(element).unwrap_or(0)));
                    self.set_index(frames, last);
                }
            }
        }
        repeats.reverse();
        Ok(repeats)
    }

    fn top(&self, frames: &[Frame]) -> Frame {
        frames.last().expect("the list's own object stays at the bottom").clone()
    }

    fn set_index(&self, frames: &mut [Frame], index: u64) {
        if let Some(top) = frames.last_mut() {
            top.index = index;
        }
    }

    fn designated_index(&mut self, frame: &Frame, index: &ast::Expr) -> Checked<u64> {
        let Type::Array { len, .. } = *self.types.get(frame.part.ty.ty) else {
            let text = self.text(frame.part.ty);
            return Err(self.error(index.span, format!("{text} has no elements")));
        };
        let value = self.constant_integer(index, "an index")?;
        match u64::try_from(value) {
            Ok(value) if value < len.unwrap_or(1 << 40) => Ok(value),
            _ => Err(self.error(index.span, "this index is outside of the array")),
        }
    }

    /// Makes the member `name` the current part, entering anonymous members on the way.
    fn enter_field(
        &mut self,
        frames: &mut Vec<Frame>,
        record: super::super::RecordId,
        name: &str,
        filling: &mut Filling,
    ) -> bool {
        let fields = self.initialized_fields(record);
        let top = self.top(frames);
        let is_union = self.types.record(record).is_union;
        for (index, field) in fields.iter().enumerate() {
            if field.name.as_deref() == Some(name) {
                if is_union {
                    self.remove_inside(top.part, filling);
                }
                self.set_index(frames, index as u64);
                return true;
            }
            let Type::Record(inner) = *self.types.get(field.ty.ty) else { continue };
            if field.name.is_none() && self.find_field(inner, name).is_some() {
                self.set_index(frames, index as u64);
                let part = Part { ty: field.ty, offset: top.part.offset + field.offset, bits: None, unit: None };
                frames.push(Frame { part, index: 0 });
                return self.enter_field(frames, inner, name, filling);
            }
        }
        false
    }

    /// The members that initialisers count.
    fn initialized_fields(&self, record: super::super::RecordId) -> Vec<Field> {
        self.types.record(record).fields.clone().unwrap_or_default()
    }

    /// The part of an aggregate with this index; `None` beyond its end.
    fn part_at(&self, whole: Part, index: u64) -> Option<Part> {
        match self.types.get(whole.ty.ty) {
            Type::Array { element, len } => {
                if index >= len.unwrap_or(1 << 40) {
                    return None;
                }
                let size = self.size_of(*element)?;
                Some(Part { ty: *element, offset: whole.offset + index * size, bits: None, unit: None })
            }
            Type::Record(record) => {
                let field = self.types.record(*record).fields.as_ref()?.get(usize::try_from(index).ok()?)?;
                let unit = field.bits.map(|_| field.ty.ty).filter(|unit| *unit != field.value_ty.ty);
                Some(Part { ty: field.value_ty, offset: whole.offset + field.offset, bits: field.bits, unit })
            }
            _ => None,
        }
    }

    /// Puts an initialiser at the current part and moves on. False if there is no such part.
    fn place(
        &mut self,
        frames: &mut Vec<Frame>,
        initializer: &ast::Initializer,
        filling: &mut Filling,
    ) -> Checked<bool> {
        let mut value = None;
        loop {
            let top = self.top(frames);
            let Some(part) = self.part_at(top.part, top.index) else {
                if frames.len() == 1 {
                    return Ok(false);
                }
                frames.pop();
                self.advance(frames);
                continue;
            };
            let done = match &initializer.kind {
                InitializerKind::List(_) => {
                    let result = self.fill(part, initializer, filling);
                    self.advance(frames);
                    return result.map(|()| true);
                }
                InitializerKind::Expr(expr) => match self.string_for(part.ty, expr) {
                    Some(literal) => {
                        self.push_string(part, literal, expr.span, filling);
                        true
                    }
                    None => self.place_value(part, expr, &mut value, filling, frames)?,
                },
            };
            if done {
                self.advance(frames);
                return Ok(true);
            }
            frames.push(Frame { part, index: 0 });
        }
    }

    /// Puts an expression at a part, if it can initialise it as a whole.
    fn place_value(
        &mut self,
        part: Part,
        expr: &ast::Expr,
        value: &mut Option<Expr>,
        filling: &mut Filling,
        frames: &mut [Frame],
    ) -> Checked<bool> {
        if self.types.is_array(part.ty.ty) {
            return Ok(false);
        }
        let typed = match value.take() {
            Some(typed) => typed,
            None => match self.value(expr) {
                Ok(typed) => typed,
                Err(reported) => {
                    self.advance(frames);
                    return Err(reported);
                }
            },
        };
        let is_record = matches!(self.types.get(part.ty.ty), Type::Record(_));
        if is_record && typed.ty.ty != part.ty.ty {
            *value = Some(typed);
            return Ok(false);
        }
        if is_record {
            self.remove_inside(part, filling);
        }
        match self.push_value(part, typed, filling) {
            Ok(()) => Ok(true),
            Err(reported) => {
                self.advance(frames);
                Err(reported)
            }
        }
    }

    /// Moves to the part after the current one. Only one member of a union is initialised in a row.
    fn advance(&self, frames: &mut [Frame]) {
        if let Some(top) = frames.last_mut() {
            let is_union = match self.types.get(top.part.ty.ty) {
                Type::Record(record) => self.types.record(*record).is_union,
                _ => false,
            };
            top.index = if is_union { u64::MAX >> 1 } else { top.index + 1 };
        }
    }

    /// The literal, if the expression is a string that can fill an array of this type.
    fn string_for<'a>(&self, ty: QualType, expr: &'a ast::Expr) -> Option<&'a ast::StringLiteral> {
        let ast::ExprKind::String(literal) = &expr.kind else { return None };
        let Type::Array { element, .. } = self.types.get(ty.ty) else { return None };
        let kind = self.types.int_kind(element.ty)?;
        let wanted = self.string_element(literal.encoding);
        let fits = match literal.encoding {
            Encoding::Plain | Encoding::Utf8 => kind.size(self.data_model()) == 1 && kind != IntKind::Bool,
            _ => kind.size(self.data_model()) == wanted.size(self.data_model()),
        };
        fits.then_some(literal)
    }

    fn push_string(&mut self, part: Part, literal: &ast::StringLiteral, span: Span, filling: &mut Filling) {
        self.remove_inside(part, filling);
        let Type::Array { element, len } = *self.types.get(part.ty.ty) else { return };
        let mut string = self.string_literal(literal, span);
        let n_given = literal.units.len() as u64 + 1;
        // Without room for it, the terminating zero is dropped; beyond the string the array is zero anyway.
        let n_used = len.map_or(n_given, |len| len.min(n_given));
        if n_used + 1 < n_given {
            self.warn(span, "this string is longer than the array");
        }
        if filling.depth == 0 {
            filling.len = n_used;
        }
        let ty = QualType::plain(self.types.intern(Type::Array { element, len: Some(n_used) }));
        if let ExprKind::String(bytes) = &mut string.kind {
            let width = self.types.size(element.ty).unwrap_or(1);
            bytes.truncate((n_used * width) as usize);
            filling.end = filling.end.max(part.offset + bytes.len() as u64);
        }
        string.ty = ty;
        filling.items.push(InitItem { offset: part.offset, bits: None, ty, value: string });
    }

    fn push_value(&mut self, part: Part, value: Expr, filling: &mut Filling) -> Checked<()> {
        let span = value.span;
        let mut value = self.assign_to(value, part.ty, "this initialiser")?;
        filling.end = filling.end.max(part.offset + self.size_of(part.ty).unwrap_or(0));
        let mut ty = QualType { is_const: false, ..part.ty };
        if let Some(unit) = part.unit {
            if self.types.is_array(unit) {
                return Err(self.refuse(span, "a bit-field that shares its bytes with another member"));
            }
            ty.ty = unit;
            value = self.cast(value, unit);
        }
        if filling.is_static && self.unevaluated == 0 {
            if let Some(items) = self.static_record(&value) {
                let moved = items.into_iter().map(|item| InitItem { offset: item.offset + part.offset, ..item });
                filling.items.extend(moved);
                return Ok(());
            }
            value = match self.evaluate_with_variables(&value) {
                Some(Constant::Int(constant)) if self.types.is_integer(value.ty.ty) => {
                    self.make(ExprKind::Int(constant), value.ty.ty, span)
                }
                Some(Constant::Float(constant)) => self.make(ExprKind::Float(constant), value.ty.ty, span),
                Some(_) => value,
                None if self.is_constant(&value) => value,
                None if matches!(self.types.get(value.ty.ty), Type::LongDouble) => value,
                None => {
                    return Err(self.error(span, "the initialiser of a static object must be a constant"));
                }
            };
        }
        filling.items.push(InitItem { offset: part.offset, bits: part.bits, ty, value });
        Ok(())
    }

    /// The contents of a compound literal that initialises a static record as a whole.
    fn static_record(&self, value: &Expr) -> Option<Vec<InitItem>> {
        let ExprKind::Load(object) = &value.kind else { return None };
        match &object.kind {
            ExprKind::Compound { init, .. } => Some(init.clone()),
            ExprKind::Symbol(symbol) if self.symbols[symbol.0 as usize].name == "<literal>" => {
                let index = self.global_of.get(symbol)?;
                self.globals[*index].init.clone()
            }
            _ => None,
        }
    }

    /// Takes out the items inside of a part that is about to be initialised anew.
    fn remove_inside(&self, part: Part, filling: &mut Filling) {
        if part.offset >= filling.end {
            return;
        }
        let end = part.offset + self.size_of(part.ty).unwrap_or(u64::MAX >> 1);
        filling.items.retain(|item| item.offset < part.offset || item.offset >= end);
    }
}
