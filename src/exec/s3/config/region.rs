//! What the name of a region may look like.

/// What a region must be, unless it is: it stands in names of hosts and in signatures.
pub fn find_fault(region: &str) -> Option<&'static str> {
    let is_fine = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let is_region = !region.is_empty() && region.len() <= 63 && region.bytes().all(is_fine);
    (!is_region).then_some("the name of a region, such as 'eu-central-1'")
}
