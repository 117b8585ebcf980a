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
const of = '(?:\\.? (?:of )?| de |-)'
/** A clean text has "1o" for "1º". */
const day = '(?<day>\\d{1,2})(?:st|nd|rd|th|er|o(?= de ))?'
/** After a name of a month, a year may have two digits. */
const year = "(?:(?<gap>,? '?| de |-|')(?<year>20\\d{2}|2\\d(?!,? 20\\d{2})))?"

/** A number above twelve is no month; of two equal numbers it does not matter which is the month. */
const aboveTwelve = '(?<day>1[3-9]|2\\d|3[01])'
const numberOfMonth = '(?<number>\\d{1,2})'

/** A year before 2021 is written in full: "26/11/20" may begin with the year. */
const inNumbers = (first: string, second: string) => [
  `${first}(?<sign>[-/])${second}\\k<sign>(?<year>20\\d{2})`,
  `${first}/${second}/(?<year>2[1-9])`,
]

/** No letter, digit or currency is beside a day, and its last number is no hour. */
const onItsOwn = (pattern: string) =>
  new RegExp(
    `(?<![\\w.,/-]|\\p{Sc})${pattern}(?!(?!T\\d{2}:)(?:[\\w.,/-]\\w|\\w)|:\\d{2}(?!\\d)|\\p{Sc})`,
    'giu',
  )

/** These ways to write a day mean the same everywhere; "5/6" is not among them. In "5 Nov 20" two ways meet. */
const patterns = [
  '(?<year>20\\d{2})(?<sign>[-/.])(?<number>\\d{1,2})\\k<sign>(?<day>\\d{1,2})',
  ...inNumbers(aboveTwelve, numberOfMonth),
  ...inNumbers(numberOfMonth, aboveTwelve),
  ...inNumbers(numberOfMonth, '(?<day>\\k<number>)'),
  `${month} ${day} \\d{2}:\\d{2}(?::\\d{2})?(?: [A-Z]{3,5})? (?<year>20\\d{2})`,
  [`${day}${of}${month}${year}`, `${month} ${day}${year}`],
  '(?<day>\\d{1,2})\\. ?(?<number>\\d{1,2})\\.(?:(?<gap> ?)(?<year>20\\d{2})|(?<short>\\d{2}))?',
].map((ways) => [ways].flat().map(onItsOwn))

/** Beside an amount these name a day too; elsewhere they may be a part of an id, or a name. */
const patternsOfAmounts = [
  '(?<year>20\\d{2})(?<number>\\d{2})(?<day>\\d{2})',
  `(?<day>\\d{1,2})${month}(?<year>20\\d{2}|2\\d)?`,
].map((ways) => [ways].flat().map(onItsOwn))

const ofWords = (today: string, yesterday: string) =>
  new RegExp(`(?<![\\p{L}\\p{N}_])(?:(?<today>${today})|(?:${yesterday}))(?![\\p{L}\\p{N}_])`, 'iu')

const relative = ofWords('today', 'yesterday')
/** "Hier" is not among them: in German it is no day. "Hoy" alone may be a name. */
const relativeOfAmounts = ofWords("heute|hoy|hoje|aujourd'hui", 'gestern|ayer|ontem')

/** A text names this day; `before` and `after` are the text around it. */
export interface FoundDay {
  readonly day: TypedDay
  readonly before: string
  readonly after: string
}

/** The text names a day; `rest` is the text without it. */
export function findDay(text: string): { readonly day: TypedDay; readonly rest: string } | null {
  const [found] = findDays(text)
  return found ? { day: found.day, rest: `${found.before} ${found.after}`.replace(/\s+/g, ' ').trim() } : null
}

/** The text names a day, in one way or in several: what looks like its year may be a number of its own. */
export const findDays = (text: string): readonly FoundDay[] => findBy(text, relative, patterns)

/** The text names a day only if there is an amount beside it. */
export const findDaysOfAmounts = (text: string): readonly FoundDay[] =>
  findBy(text, relativeOfAmounts, patternsOfAmounts)

function findBy(text: string, words: RegExp, ways: readonly (readonly RegExp[])[]): readonly FoundDay[] {
  const word = words.exec(text)
  if (word) return [{ day: { kind: 'days-ago', days: word.groups?.today ? 0 : 1 }, ...around(text, word) }]
  for (const together of ways) {
    const found = together.flatMap((pattern) => findFirst(text, pattern))
    if (found.length > 0) return found
  }
  return []
}

function findFirst(text: string, pattern: RegExp): readonly FoundDay[] {
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const { gap, year, ...groups } = { ...match.groups }
    const named = dateOf({ ...groups, year: year ?? groups.short })
    // A day may begin within something that is none: "5 EUR 20 Nov". Within a character of two code units the search would
    // go back to its beginning, and never end.
    const [first = ''] = match[0]
    pattern.lastIndex = match.index + first.length
    if (!named) continue
    const found = { day: named, ...around(text, match) }
    const anyYear = dateOf({ ...groups, year: undefined })
    if (year === undefined || !anyYear || !/^,? $/.test(gap ?? '')) return [found]
    return [found, { day: anyYear, before: found.before, after: year + found.after }]
  }
  return []
}

const around = (text: string, { 0: found, index }: RegExpExecArray) => ({
  before: text.slice(0, index),
  after: text.slice(index + found.length),
})

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
export function withFixedDay(text: string, now: number): string {
  const { 0: word, index, groups } = relative.exec(text) ?? relativeOfAmounts.exec(text) ?? {}
  if (word === undefined || index === undefined) return text
  const at = startOfDay(now) - (groups?.today ? 0 : dayMs)
  return text.slice(0, index) + new Date(at).toISOString().slice(0, 10) + text.slice(index + word.length)
}
