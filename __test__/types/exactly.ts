// Asserts that an expression has exactly one type: neither wider, nor narrower, nor any.
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

export function exactly<Expected>() {
  return <Actual>(
    _actual: Actual,
    ..._mismatch: Equal<Expected, Actual> extends true ? [] : ['types differ']
  ): void => {}
}
