/** The SQL of what was given to a pool: a text, or a statement with its values. */
export const textOf = (given: unknown): string =>
  typeof given === 'object' && given !== null && 'text' in given ? String(given.text) : String(given)
