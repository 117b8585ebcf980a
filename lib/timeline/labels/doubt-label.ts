/** The label of a doubt is as short as a pill; its explanation would make the pages of lists larger. */
export const doubtLabel = (flag: string): string => doubtLabels[flag] ?? flag.replaceAll('-', ' ')

const doubtLabels: Readonly<Record<string, string>> = {
  'came-again': 'received again',
  'order-unsure': 'order unconfirmed',
  'repeat-unsure': 'possibly finished',
}
