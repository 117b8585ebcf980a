import 'server-only'
import { failedVerifications, openChecks, passedChecks } from '#lib/domain/delivery/passed-checks.ts'
import { happenedDays, type LookKind } from '#lib/domain/overview/look-kinds.ts'
import { statesOfAskedType } from '#lib/tables/standing.ts'
import { notMuted } from './list-looks.ts'

// What the overview lists of people and of accounts, to be counted beside the navigation: by where each stands, one range of an
// index for each state. A check of a transaction is not among them.

/** `most`: how far they are counted, in SQL. Each counts once, whatever was said of it before. */
const lately = (kind: LookKind, types: readonly string[], states: string, most: string) => `
  SELECT FROM unnest(ARRAY[${types.map(quoted).join(', ')}]) AS asked (type), ${states}, LATERAL (
    SELECT FROM standing
    WHERE standing.type = asked.type AND standing.state = said.state
      AND last_move_at >= now() - interval '${happenedDays} days'
      AND ${notMuted('event_id::text', 'last_move_at', quoted(kind))}
    LIMIT ${most}
  ) AS stood LIMIT ${most}`

const quoted = (text: string) => `'${text}'`
const any = (states: readonly string[]) => `unnest(ARRAY[${states.map(quoted).join(', ')}]) AS said (state)`

/** Every state that came with a type of check, but those that say that nothing is wrong. */
const badChecks = `LATERAL (
    SELECT state FROM (${statesOfAskedType}) AS each
    WHERE state <> ALL(ARRAY[${[...passedChecks, ...openChecks].map(quoted).join(', ')}])
  ) AS said`

export const failedVerificationsOf = (most: string) =>
  lately('failed-kyc', ['KYC'], any(failedVerifications), most)

export const duplicateUsersOf = (most: string) =>
  lately('duplicate-user', ['duplicateUser'], any(['DUPLICATE_USER']), most)

/** For roles that may know of them alone. */
export const badChecksOf = (most: string) => lately('aml', ['AML'], badChecks, most)

export const failedAccountsOf = (most: string) =>
  lately(
    'failed-account',
    ['unblockBankAccount', 'linkedBankAccountProfile', 'linkBankAccount'],
    any(['FAILED', 'FAILED_CREATION']),
    most,
  )
