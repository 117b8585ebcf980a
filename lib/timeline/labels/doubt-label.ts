/** The label of a doubt is as short as a pill; its explanation would make the pages of lists larger. */
export const doubtLabel = (flag: string): string => doubtLabels.get(flag) ?? flag.replaceAll('-', ' ')

const doubtLabels: ReadonlyMap<string, string> = new Map([
  ['came-again', 'received again'],
  ['order-unsure', 'order unconfirmed'],
  ['repeat-unsure', 'possibly finished'],
])
