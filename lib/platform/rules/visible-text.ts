/**
 * `visibleText` prepares a foreign text for a page, a mail or a reply. It removes the invisible marks that change the text
 * direction. It is null when nothing visible is left. Stored and compared texts keep the marks.
 */
export function visibleText(text: string | null): string | null {
  if (text === null) return null
  const shown = text.replace(direction, '')
  return blank.test(shown) ? null : shown
}

/** `oneLine` prepares a foreign text for use within a line: line breaks become spaces. */
export const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()

/**
 * `isolated` puts a foreign text between other words in one line. Letters written from the right do not affect the words
 * beside it.
 */
export function isolated(text: string): string {
  const shown = visibleText(oneLine(text)) ?? nothingToSee
  return fromRight.test(shown) ? `\u2068${shown}\u2069` : shown
}

/** `isVisibleName` is true for a name that has visible characters and no mark that changes the direction. */
export const isVisibleName = (text: string): boolean => visibleText(text) === text

/** The text replaces a name without visible characters. */
export const nothingToSee = '(nothing to see)'

const direction = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
/** Unicode counts fillers and the braille blank as letters and signs. */
const blank = /^[\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]*$/u
const fromRight = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u
