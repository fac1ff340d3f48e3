//! `{a,b}` and `{1..3}`: a pattern becomes all that its braces stand for. Braces around neither are text.

/// More alternatives are a mistake.
const MOST: usize = 1000;

/// All patterns without braces that this one stands for.
///
/// # Errors
///
/// What is wrong with it.
pub fn expand(pattern: &str) -> Result<Vec<String>, String> {
    let mut expanded = Vec::new();
    expand_into(String::new(), pattern, &mut expanded)?;
    Ok(expanded)
}

/// `done` has no braces to expand, or only text.
fn expand_into(mut done: String, mut rest: &str, expanded: &mut Vec<String>) -> Result<(), String> {
    while let Some(next) = rest.chars().next() {
        if next == '{' {
            let end = end_of(rest).ok_or("a { is not closed; '{' as text is '\\{'")?;
            let (inner, after) = (&rest[1..end], &rest[end + 1..]);
            let parts = parts_of(inner);
            let alternatives = match parts.len() {
                0 | 1 => range(inner)?,
                _ => Some(parts.into_iter().map(str::to_owned).collect()),
            };
            if let Some(alternatives) = alternatives {
                for alternative in alternatives {
                    expand_into(done.clone(), &format!("{alternative}{after}"), expanded)?;
                }
                return Ok(());
            }
            done.push_str("\\{");
            // The brace that closes it is text too.
            let text = format!("{inner}\\}}{after}");
            return expand_into(done, &text, expanded);
        }
        let length = unit(rest);
        done.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    expanded.push(done);
    if expanded.len() > MOST {
        return Err(format!("its braces stand for more than {MOST} patterns"));
    }
    Ok(())
}

/// The length of what is taken as one: an escaped character, a class, or a character.
fn unit(text: &str) -> usize {
    let mut chars = text.char_indices();
    match chars.next() {
        Some((_, '\\')) => chars.next().map_or(1, |(at, char)| at + char.len_utf8()),
        Some((_, '[')) => class_end(text).map_or(1, |end| end + 1),
        Some((_, char)) => char.len_utf8(),
        None => 0,
    }
}

/// Where the class that `text` starts with ends.
pub fn class_end(text: &str) -> Option<usize> {
    let mut at = 1;
    if text[at..].starts_with(['!', '^']) {
        at += 1;
    }
    // A bracket that comes first is one of the characters.
    let mut is_first = true;
    while let Some(char) = text[at..].chars().next() {
        if char == ']' && !is_first {
            return Some(at);
        }
        if text[at..].starts_with("[:")
            && let Some(end) = text[at..].find(":]")
        {
            at += end + 2;
        } else if char == '\\' {
            at += 1 + text[at + 1..].chars().next().map_or(0, char::len_utf8);
        } else {
            at += char.len_utf8();
        }
        is_first = false;
    }
    None
}

/// Where the brace that `text` starts with is closed.
fn end_of(text: &str) -> Option<usize> {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        match text.as_bytes()[at] {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
        at += unit(&text[at..]);
    }
    None
}

/// What the commas outside of other braces part.
fn parts_of(inner: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start, mut at) = (Vec::new(), 0, 0, 0);
    while at < inner.len() {
        match inner.as_bytes()[at] {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(&inner[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        at += unit(&inner[at..]);
    }
    parts.push(&inner[start..]);
    parts
}

/// What `1..3`, `01..10`, `a..e` or `0..10..5` stands for.
fn range(inner: &str) -> Result<Option<Vec<String>>, String> {
    let parts: Vec<_> = inner.split("..").collect();
    let (first, last, step) = match parts[..] {
        [first, last] => (first, last, "1"),
        [first, last, step] => (first, last, step),
        _ => return Ok(None),
    };
    let Ok(step) = step.parse::<i64>() else { return Ok(None) };
    let step = step.unsigned_abs().max(1);
    let (from, to, is_letter) = match (first.parse::<i64>(), last.parse::<i64>()) {
        (Ok(from), Ok(to)) => (from, to, false),
        _ => match (letter(first), letter(last)) {
            (Some(from), Some(to)) => (from, to, true),
            _ => return Ok(None),
        },
    };
    if from.abs_diff(to) / step >= MOST as u64 {
        return Err(format!("'{{{inner}}}' stands for more than {MOST} patterns"));
    }
    let is_padded = |number: &str| {
        let digits = number.trim_start_matches('-');
        digits.len() > 1 && digits.starts_with('0')
    };
    let width = if is_padded(first) || is_padded(last) { first.len().max(last.len()) } else { 0 };
    let all = (0..=from.abs_diff(to) / step).map(|n| {
        let distance = (n * step) as i64;
        let value = if from <= to { from + distance } else { from - distance };
        match char::from_u32(value as u32).filter(|_| is_letter) {
            Some(letter) => letter.to_string(),
            None => format!("{value:0width$}"),
        }
    });
    Ok(Some(all.collect()))
}

fn letter(text: &str) -> Option<i64> {
    match text.as_bytes() {
        [letter] if letter.is_ascii_alphabetic() => Some(i64::from(*letter)),
        _ => None,
    }
}
