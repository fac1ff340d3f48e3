// This package, as the benchmarks name and load it. It is loaded by the processes that measure it, and by no other.

const PRODUCT = 'ya-syn-native'

const loadProduct = async () => (await import('../index.js')).default

export { PRODUCT, loadProduct }
