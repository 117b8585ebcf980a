import { directions } from '#lib/deliveries/rules/steps.ts'
import { type Decimal, parseDecimal } from '#lib/platform/rules/decimal.ts'
import { type CleanText, cleanText } from '#lib/platform/rules/pasted-text.ts'
import { findUuid } from '#lib/platform/rules/whole-ids.ts'
import { hasThreeDecimals } from '#lib/search/rules/read-amount.ts'
import {
  type FilterFlag,
  type FilterName,
  type FilterTexts,
  filterFlags,
  flagsIn,
  type TransactionMatch,
  timePresets,
} from './transaction-filters.ts'

/** A filter that cannot be read comes with advice on how to correct it. */
export interface WrongFilter {
  readonly name: FilterName
  readonly text: string
  readonly why: string
}

export interface FilterReading {
  readonly match: TransactionMatch
  /** When any filter is wrong, nothing should be listed: a list that ignores a filter looks filtered. */
  readonly wrong: readonly WrongFilter[]
}

/** The filters of an address are parsed; filters such as "the last hours" need `now`, in ms. */
export function readFilters(texts: FilterTexts, now: number): FilterReading {
  const wrong: WrongFilter[] = []
  const read = <T>(name: FilterName, reader: (text: CleanText) => T | Wrong): T | undefined => {
    const text = texts[name]
    if (text === undefined || text === null) return undefined
    const value = reader(cleanText(text))
    if (!(value instanceof Wrong)) return value
    wrong.push({ name, text, why: value.why })
    return undefined
  }
  const since = read('since', readPreset)
  const from = read('from', readTime)
  const currency = read('currency', upper)
  const readAmount = (text: string) => readAmountOf(currency, text)
  const begins = [since === undefined ? undefined : now - since, from].filter((time) => time !== undefined)
  const match = {
    direction: read('direction', readDirection),
    step: read('step', readWord),
    reason: read('reason', readWord),
    currency,
    chain: read('chain', lower),
    amountFrom: read('min', readAmount),
    amountTo: read('max', readAmount),
    startedFrom: begins.length > 0 ? Math.max(...begins) : undefined,
    startedTo: read('to', readTime),
    userUuid: read('user', readUser),
    flags: read('flags', readFlags),
  }
  const { amountFrom, amountTo, startedTo } = match
  if (amountFrom !== undefined && amountTo !== undefined && Number(amountFrom) > Number(amountTo))
    wrong.push({ name: 'max', text: amountTo, why: `It is less than the least amount, ${amountFrom}.` })
  if (from !== undefined && startedTo !== undefined && from >= startedTo)
    wrong.push({ name: 'to', text: texts.to ?? '', why: 'It is not after the time from which on is listed.' })
  return { match, wrong }
}

class Wrong {
  readonly why: string
  constructor(why: string) {
    this.why = why
  }
}

const readDirection = (text: string) =>
  directions.find((direction) => direction === text) ??
  new Wrong(`It is neither of ${directions.join(' and ')}.`)

const readWord = (text: string) =>
  /^[^\p{Cc}\ufffd]{1,100}$/u.test(text)
    ? text
    : new Wrong('It is empty, longer than 100 characters, or no text.')

const upper = (text: string) => changed(readWord(text), (word) => word.toUpperCase())
const lower = (text: string) => changed(readWord(text), (word) => word.toLowerCase())

const changed = (word: string | Wrong, change: (word: string) => string) =>
  word instanceof Wrong ? word : change(word)

/**
 * Only plain digits are accepted, because countries use different separators. A comma before three digits may be one, and
 * so may a point, unless the chosen currency has so many decimals.
 */
function readAmountOf(currency: string | undefined, text: string): Decimal | Wrong {
  const [, whole, thousandth] = /^([1-9]\d{0,2})\.(\d{3})$/.exec(text) ?? []
  if (whole !== undefined && (currency === undefined || !hasThreeDecimals(currency)))
    return new Wrong(`The point may separate thousands: write ${whole}${thousandth} or ${text}0.`)
  const pointed = text.replace(/,(?=\d{1,2}$)/, '.')
  const digits = /^\d{1,30}(\.\d{1,18})?$/.test(pointed)
    ? parseDecimal(pointed.replace(/^0+(?=\d)/, ''))
    : null
  return digits ?? new Wrong('Write an amount in digits, with a point before the cents: 1250.50.')
}

const readPreset = (text: string) =>
  Object.entries(timePresets).find(([name]) => name === text)?.[1] ??
  new Wrong(`It is none of ${Object.keys(timePresets).join(', ')}.`)

/** The text is a minute or a finer time in UTC, or a day, which means its beginning. */
function readTime(text: string): number | Wrong {
  const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z)?$/.test(text)
  const time = isTime ? Date.parse(text) : Number.NaN
  // `Date.parse` reads 30 February as a day of March.
  const isDay = !Number.isNaN(time) && new Date(time).toISOString().startsWith(text.slice(0, 10))
  return isDay && time >= 0
    ? time
    : new Wrong('Write a time in UTC, such as 2026-11-20 or 2026-11-20T09:30Z.')
}

const readUser = (text: CleanText) =>
  findUuid(text) ?? new Wrong('It is no id of a person. Find the person by name or e-mail, then choose them.')

function readFlags(text: string): readonly FilterFlag[] | Wrong {
  const known = flagsIn(text)
  const asked = new Set(text.split(','))
  return asked.size === known.length ? known : new Wrong(`Flags are some of ${filterFlags.join(', ')}.`)
}
