/**
 * The words say how many transactions, people and accounts have changes that are held back; null when that is
 * unknown.
 */
export const waitingWords = (waiting: number | null): string =>
  waiting === null ? 'many wait' : `${waiting.toLocaleString('en')} ${waiting === 1 ? 'waits' : 'wait'}`
