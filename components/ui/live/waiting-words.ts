/** How many transactions, people and accounts have changes that are held back; null when nobody can say. */
export const waitingWords = (waiting: number | null): string =>
  waiting === null ? 'many wait' : `${waiting.toLocaleString('en')} ${waiting === 1 ? 'waits' : 'wait'}`
