/** Text as a person would type it: with plain spaces where no line may end. */
export const plainSpaces = (text: string): string => text.replaceAll(/[\u00a0\u202f]/g, ' ')
