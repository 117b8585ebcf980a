/** A flag of where something stands, short, as a pill says it: its meaning would make the pages of lists heavier. */
export const doubtLabel = (flag: string): string =>
  flag === 'repeat-unsure' ? 'may be over' : flag.replaceAll('-', ' ')
