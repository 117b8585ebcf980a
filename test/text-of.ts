/** A pool gets a text, or a statement with its values. The function answers its SQL. */
export const textOf = (given: unknown): string =>
  typeof given === 'object' && given !== null && 'text' in given ? String(given.text) : String(given)
