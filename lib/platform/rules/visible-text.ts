/**
 * A text of others as it may stand in a page, a mail or a reply: without the marks that turn the direction of what follows, which
 * nobody sees. Null where nothing is left to see. What is stored and compared keeps them.
 */
export function visibleText(text: string | null): string | null {
  if (text === null) return null
  const shown = text.replace(direction, '')
  return blank.test(shown) ? null : shown
}

/** A text of others as it may stand within a line: what would end the line is a space. */
export const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()

/** `visibleText` between others' words, in one line: letters that are written from the right turn nothing beside them. */
export function isolated(text: string): string {
  const shown = visibleText(oneLine(text)) ?? nothingToSee
  return fromRight.test(shown) ? `\u2068${shown}\u2069` : shown
}

/** Whether a name could be given by anybody: it has something to see, and no mark that turns a direction. */
export const isVisibleName = (text: string): boolean => visibleText(text) === text

/** In the place of a name that has none. */
export const nothingToSee = '(nothing to see)'

const direction = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
/** Fillers and the blank of braille are letters and signs to Unicode. */
const blank = /^[\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]*$/u
const fromRight = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u
