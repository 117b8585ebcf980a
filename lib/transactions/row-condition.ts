import 'server-only'
import { lowerCase, textParameter, upperCase } from '#lib/platform/db/sql-text.ts'
import { isOnChain } from '#lib/search/rules/read-amount.ts'
import { standsSinceSql } from '#lib/timeline/tables/transaction.ts'
import { leastStuckMs, movingSteps, type UsualStays } from './rules/is-stuck.ts'
import { stepOfReason, type TransactionMatch } from './rules/transaction-filters.ts'

/** Adds a parameter to a statement's values and answers its name. */
export type Given = (value: unknown) => string

export const parameters =
  (values: unknown[]): Given =>
  (value) =>
    `$${values.push(value)}`

/** What is stuck depends on when it is asked, and on how long its like usually stays. `now` in ms. */
export interface StuckRule {
  readonly now: number
  readonly usual: UsualStays
}

/** What a row of `transaction` must be like, as SQL. A condition that is not asked for is left out. */
export function rowCondition(match: TransactionMatch, given: Given, stuck: StuckRule | null = null): string {
  const { direction, step, reason, currency, chain, startedFrom, startedTo, userUuid, flags = [] } = match
  const equal = (column: string, value: string | undefined) =>
    value !== undefined && `${column} = ${given(textParameter(value))}`
  const asked = [
    equal('user_uuid', userUuid?.toLowerCase()),
    equal('direction', direction),
    equal('step', step),
    equal('reason', reason),
    // A reason that belongs to a step is looked for there, so that no other is gone through for it.
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

/** Bounds in the order that a list goes by, which an index holds. Implied by `rowCondition`. */
export const indexBounds = {
  started: ({ startedFrom, startedTo }, given) => [
    startedFrom !== undefined && `started_at >= ${time(startedFrom, given)}`,
    startedTo !== undefined && `started_at < ${time(startedTo, given)}`,
  ],
  // Nothing moved before it started.
  moved: ({ startedFrom }, given) => [
    startedFrom !== undefined && `last_move_at >= ${time(startedFrom, given)}`,
  ],
  amount: (match, given) => [isOfCoins(match) ? false : amountCondition(match, given)],
} as const satisfies Record<string, (match: TransactionMatch, given: Given) => (string | false)[]>

/** Which branches can hold any: those of a step, of a reason's step, or of steps at which something can be stuck. */
export function branchCondition({ direction, step, reason, flags = [] }: TransactionMatch, given: Given) {
  const ofReason = reason === undefined ? null : stepOfReason(reason)
  const asked = [
    direction !== undefined && `direction = ${given(direction)}`,
    step !== undefined && `step = ${given(textParameter(step))}`,
    ofReason !== null && `step = ${given(ofReason)}`,
    flags.includes('stuck') && `step = ANY(${given(movingSteps)})`,
  ]
  return asked.filter(Boolean).join(' AND ') || 'true'
}

const time = (ms: number, given: Given) => `${given(new Date(ms))}::timestamptz`

const isOfCoins = ({ currency }: TransactionMatch) => currency !== undefined && isOnChain(currency)

const currencyCondition = (currency: string, given: Given) => {
  const name = given(textParameter(currency))
  return `(${upperCase('currency_fiat')} = ${name} OR ${upperCase('currency_crypto')} = ${name})`
}

/** What has no amount has none between two others. */
function amountCondition(match: TransactionMatch, given: Given): string | false {
  const { amountFrom, amountTo } = match
  if (amountFrom === undefined && amountTo === undefined) return false
  // As the index of branches has it.
  const amount = isOfCoins(match) ? 'amount_crypto' : `COALESCE(amount_fiat, '-Infinity'::numeric)`
  const least =
    amountFrom === undefined ? `${amount} > '-Infinity'` : `${amount} >= ${given(amountFrom)}::numeric`
  return amountTo === undefined ? least : `${least} AND ${amount} <= ${given(amountTo)}::numeric`
}

/** As `isStuck` has it: by those of its currency and chain, of its currency, or of its step. */
function stuckCondition(given: Given, stuck: StuckRule | null): string {
  if (stuck === null) throw new Error('What is stuck is asked for without what is usual')
  const { now, usual } = stuck
  const stays = Object.fromEntries(
    [...usual.values()].map(({ direction, step, currencyFiat, chain, ms }) => [
      keyOf([direction, step, currencyFiat, chain]),
      ms,
    ]),
  )
  const map = `${given(JSON.stringify(stays))}::jsonb`
  const columns = ['direction', 'step', 'currency_fiat', 'chain'].map((name) => `COALESCE(${name}, '')`)
  const stay = (known: number) =>
    `(${map} ->> concat_ws(${separatorSql}, ${known}, ${columns.slice(0, known).join(', ')}))::float8`
  return `step = ANY(${given(movingSteps)}) AND ${standsSinceSql} < ${time(now, given)}
    - COALESCE(${stay(4)}, ${stay(3)}, ${stay(2)}, ${given(leastStuckMs)}::float8) * interval '1 ms'`
}

/** How many of the four are known stands first: a currency that is unknown is not any currency. */
function keyOf(alike: readonly (string | null)[]): string {
  const known = alike.filter((part) => part !== null)
  return [known.length, ...known].join('\u001f')
}

const separatorSql = `E'\\x1f'`
