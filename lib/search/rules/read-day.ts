/** The meaning of a typed day depends on today's date. */
export type TypedDay =
  | { readonly kind: 'days-ago'; readonly days: 0 | 1 }
  | { readonly kind: 'date'; readonly day: number; readonly month: number; readonly year: number | null }

/** Names of months and their short forms have no accents here; they cover the customers' languages. */
const months: ReadonlyMap<string, number> = new Map(
  [
    'jan january januar janv janvier ene enero janeiro',
    'feb february februar fevr fevrier febrero fev fevereiro',
    'mar march mrz marz maerz mars marzo marco',
    'apr april avr avril abr abril',
    'may mai mayo maio',
    'jun june juni juin junio junho',
    'jul july juli juil juillet julio julho',
    'aug august aout ago agosto',
    'sep sept september septembre septiembre set setembro',
    'oct october okt oktober octobre octubre out outubro',
    'nov november novembre noviembre novembro',
    'dec december dez dezember decembre dic diciembre dezembro',
  ].flatMap((names, nth) => names.split(' ').map((name) => [name, nth + 1] as const)),
)

const month = '(?<month>\\p{L}{3,10})(?!\\p{L})\\.?'
const of = '(?:\\.? | de |-)'
const day = '(?<day>\\d{1,2})(?:st|nd|rd|th|er)?'
const year = '(?:(?:,? | de |-)(?<year>20\\d{2}))?'

/** A number above twelve is no month; of two equal numbers it does not matter which is the month. */
const aboveTwelve = '(?<day>1[3-9]|2\\d|3[01])'

/** These ways to write a day mean the same everywhere; "5/6" is not among them. */
const patterns = [
  '(?<year>20\\d{2})(?<sign>[-/.])(?<number>\\d{1,2})\\k<sign>(?<day>\\d{1,2})',
  `${aboveTwelve}(?<sign>[-/])(?<number>\\d{1,2})\\k<sign>(?<year>20\\d{2})`,
  `(?<number>\\d{1,2})(?<sign>[-/])${aboveTwelve}\\k<sign>(?<year>20\\d{2})`,
  '(?<number>\\d{1,2})(?<sign>[-/])(?<day>\\k<number>)\\k<sign>(?<year>20\\d{2})',
  `${day}${of}${month}${year}`,
  `${month} ${day}${year}`,
  '(?<day>\\d{1,2})\\.(?<number>\\d{1,2})\\.(?<year>(?:20)?\\d{2})?',
].map((pattern) => new RegExp(`(?<![\\w.,/-])${pattern}(?!(?!T\\d{2}:)(?:[\\w.,/-]\\w|\\w))`, 'giu'))

const relative = /(?<!\w)(today|yesterday)(?!\w)/i

/** The text names a day; `rest` is the text without it. */
export function findDay(text: string): { readonly day: TypedDay; readonly rest: string } | null {
  const word = relative.exec(text)
  if (word)
    return {
      day: { kind: 'days-ago', days: word[0].toLowerCase() === 'today' ? 0 : 1 },
      rest: without(text, word),
    }
  for (const pattern of patterns)
    for (const match of text.matchAll(pattern)) {
      const named = dateOf(match.groups ?? {})
      if (named) return { day: named, rest: without(text, match) }
    }
  return null
}

const without = (text: string, { 0: found, index }: RegExpExecArray) =>
  `${text.slice(0, index)} ${text.slice(index + found.length)}`.replace(/\s+/g, ' ').trim()

function dateOf(groups: Record<string, string | undefined>): TypedDay | null {
  const name = groups.month?.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
  const number = name === undefined ? Number(groups.number) : (months.get(name) ?? 0)
  const at = Number(groups.day)
  const asked = groups.year === undefined ? null : Number(groups.year.padStart(4, '20'))
  // 2024 has a 29 February: without a year, each day of a leap year is valid.
  const made = new Date(Date.UTC(asked ?? 2024, number - 1, at))
  const exists = made.getUTCMonth() === number - 1 && made.getUTCDate() === at
  return exists ? { kind: 'date', day: at, month: number, year: asked } : null
}

const dayMs = 24 * 60 * 60_000

/**
 * The span goes from the first moment of this day in any time zone to the last, because the time zone is
 * unknown. Milliseconds.
 */
export interface DaySpan {
  readonly from: number
  readonly to: number
}

/** The span is that of the latest such day that is not in the future. `now` is in milliseconds since 1970. */
export function daySpan(typed: TypedDay, now: number): DaySpan {
  const { from, to } = dayOf(typed, now)
  return { from: from - 14 * 60 * 60_000, to: to + 12 * 60 * 60_000 }
}

export function dayOf(typed: TypedDay, now: number): DaySpan {
  const begins = typed.kind === 'days-ago' ? startOfDay(now) - typed.days * dayMs : latest(typed, now)
  return { from: begins, to: begins + dayMs }
}

const startOfDay = (at: number) => Math.floor(at / dayMs) * dayMs

function latest(typed: Extract<TypedDay, { kind: 'date' }>, now: number): number {
  const inYear = (year: number) => Date.UTC(year, typed.month - 1, typed.day)
  if (typed.year !== null) return inYear(typed.year)
  const thisYear = new Date(now).getUTCFullYear()
  const years = [thisYear, thisYear - 1, thisYear - 2, thisYear - 3, thisYear - 4]
  // Tomorrow has begun somewhere already.
  const past = years.map(inYear).filter((at) => at <= now + dayMs && new Date(at).getUTCDate() === typed.day)
  return past[0] ?? inYear(thisYear)
}

/** "today" or "yesterday" is replaced by the date, so that the text means the same tomorrow. */
export const withFixedDay = (text: string, now: number): string =>
  text.replace(relative, (word) => {
    const at = startOfDay(now) - (word.toLowerCase() === 'today' ? 0 : dayMs)
    return new Date(at).toISOString().slice(0, 10)
  })
