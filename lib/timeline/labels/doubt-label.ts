/** The label of a doubt is as short as a pill; its explanation would make the pages of lists larger. */
export const doubtLabel = (flag: string): string =>
  flag === 'repeat-unsure' ? 'may be over' : flag.replaceAll('-', ' ')
