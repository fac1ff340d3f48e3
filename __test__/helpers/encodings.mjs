// The ways in which stores write keys in a listing that is url-encoded.

/** As S3 does: a blank is `+`, and a plus is `%2B`. */
export const encodeForm = (key) => encodeURIComponent(key).replaceAll('%20', '+').replaceAll('%2F', '/')

/** As some stores do: a blank is `%20`, and a plus is itself. */
export const encodePath = (key) => encodeURIComponent(key).replaceAll('%2B', '+').replaceAll('%2F', '/')
