//! Values that have the name of what they are made of: `let x = x.next();`.

/// Whether `let x = x…` gives a value the name of the one that it begins with.
pub(super) fn is_renewal(local: &syn::Local) -> bool {
    let mut pattern = &local.pat;
    if let syn::Pat::Type(typed) = pattern {
        pattern = &typed.pat;
    }
    let (syn::Pat::Ident(bound), Some(init)) = (pattern, &local.init) else {
        return false;
    };
    first_name(&init.expr).is_some_and(|name| *name == bound.ident)
}

/// The variable that an expression begins with.
fn first_name(expression: &syn::Expr) -> Option<&syn::Ident> {
    match expression {
        syn::Expr::Path(path) => path.path.get_ident(),
        syn::Expr::MethodCall(call) => first_name(&call.receiver),
        syn::Expr::Field(field) => first_name(&field.base),
        syn::Expr::Await(awaited) => first_name(&awaited.base),
        syn::Expr::Try(tried) => first_name(&tried.expr),
        syn::Expr::Index(index) => first_name(&index.expr),
        _ => None,
    }
}
