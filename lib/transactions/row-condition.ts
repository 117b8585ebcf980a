import 'server-only'
import { type Direction, directions } from '#lib/deliveries/rules/steps.ts'
import { lowerCase, textParameter, upperCase } from '#lib/platform/db/statements.ts'
import { isOnChain } from '#lib/search/rules/read-amount.ts'
import { standsSinceSql } from '#lib/timeline/tables/transaction.ts'
import { isStuckSql, staysParameter, type UsualStays } from './rules/is-stuck.ts'
import { stepOfReason, type TransactionMatch } from './rules/transaction-filters.ts'

/** `Given` adds a parameter to the values of a statement and returns its name. */
export type Given = (value: unknown) => `$${number}`

export const parameters =
  (values: unknown[]): Given =>
  (value) =>
    `$${values.push(value)}`

/** A transaction is stuck depending on the time of the request and on how long similar ones usually stay. `now` is in ms. */
export interface StuckRule {
  readonly now: number
  readonly usual: UsualStays
}

/** The condition is SQL for a row of `transaction`. Unset filters are left out. */
export function rowCondition(match: TransactionMatch, given: Given, stuck: StuckRule | null = null): string {
  const { direction, step, reason, currency, chain, startedFrom, startedTo, userUuid, flags = [] } = match
  const equal = (column: string, value: string | undefined) =>
    value !== undefined && `${column} = ${given(textParameter(value))}`
  const asked = [
    equal('user_uuid', userUuid?.toLowerCase()),
    equal('direction', direction),
    equal('step', step),
    equal('reason', reason),
    // A reason that belongs to a step is searched only at that step, so that fewer rows are scanned.
    reason !== undefined && equal('step', stepOfReason(reason) ?? undefined),
    currency !== undefined && currencyCondition(currency, given),
    equal(lowerCase('chain'), chain),
    amountCondition(match, given),
    startedFrom !== undefined && `started_at >= ${time(startedFrom, given)}`,
    startedTo !== undefined && `started_at < ${time(startedTo, given)}`,
    ...flags.map((flag) => (flag === 'stuck' ? stuckCondition(given, stuck) : `'${flag}' = ANY(flags)`)),
  ]
  return asked.filter(Boolean).join(' AND ') || 'true'
}

/** The bounds are in the order of the list, which an index holds. `rowCondition` implies them. */
export const indexBounds = {
  started: ({ startedFrom, startedTo }, given) => [
    startedFrom !== undefined && `started_at >= ${time(startedFrom, given)}`,
    startedTo !== undefined && `started_at < ${time(startedTo, given)}`,
  ],
  // A transaction moves only after it started.
  moved: ({ startedFrom }, given) => [
    startedFrom !== undefined && `last_move_at >= ${time(startedFrom, given)}`,
  ],
  amount: (match, given) => [isOfCoins(match) ? false : amountCondition(match, given)],
} as const satisfies Record<string, (match: TransactionMatch, given: Given) => (string | false)[]>

const time = (ms: number, given: Given) => `${given(new Date(ms))}::timestamptz`

const isOfCoins = ({ currency }: TransactionMatch) => currency !== undefined && isOnChain(currency)

const currencyCondition = (currency: string, given: Given) => {
  const name = given(textParameter(currency))
  return `(${upperCase('currency_fiat')} = ${name} OR ${upperCase('currency_crypto')} = ${name})`
}

/** A transaction without an amount matches no range of amounts. */
function amountCondition(match: TransactionMatch, given: Given): string | false {
  const { amountFrom, amountTo } = match
  if (amountFrom === undefined && amountTo === undefined) return false
  // The expression matches the index.
  const amount = isOfCoins(match) ? 'amount_crypto' : `COALESCE(amount_fiat, '-Infinity'::numeric)`
  const least =
    amountFrom === undefined ? `${amount} > '-Infinity'` : `${amount} >= ${given(amountFrom)}::numeric`
  return amountTo === undefined ? least : `${least} AND ${amount} <= ${given(amountTo)}::numeric`
}

function stuckCondition(given: Given, stuck: StuckRule | null): string {
  if (stuck === null) throw new Error('What is stuck is asked for without what is usual')
  return isStuckSql(given(staysParameter(stuck.usual)), standsSinceSql, time(stuck.now, given))
}

// The indexes of lists begin with the direction, or with the direction and the step. A list of several of these
// reads each by its own index condition, and PostgreSQL merges them by UNION ALL. Decision 0143.

/** A transaction has one of these directions, or none yet: the table checks this. */
const everyDirection: readonly (Direction | null)[] = [...directions, null]

/** The expression matches the indexes, which hold an unknown direction as an empty one. */
export const directionIs = (name: Direction | null) => `COALESCE(direction, '') = '${name ?? ''}'`

/** The conditions cover every direction once; the name is null when the direction is not known. */
export const directionConditions = everyDirection.map((name) => ({
  name,
  sql: directionIs(name),
}))

/** The rows of several queries with the same columns. A query with an order or a limit of its own is in parentheses. */
export const unionAll = (queries: readonly string[]): string => queries.join('\nUNION ALL ')
