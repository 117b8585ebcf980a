/** The text has plain spaces in place of no-break spaces, as a person would type it. */
export const plainSpaces = (text: string): string => text.replaceAll(/[\u00a0\u202f]/g, ' ')
