import 'server-only'
import { z } from 'zod'
import { type Caller, type CallSource, requireFreshSignIn, requirePermission } from '#lib/access/caller.ts'
import { type AllowedList, giveTicket, requireTicket } from '#lib/audit/export-ticket.ts'
import { accountTypes } from '#lib/deliveries/rules/event-types.ts'
import { ReasonSchema } from '#lib/platform/forms/fields.ts'
import { type FileColumn, fileText, formats } from '#lib/platform/rules/csv.ts'
import { exportFileName } from '#lib/words/labels/formats.ts'
import { countAccounts, everyAccount } from './list-accounts.ts'
import { type CompanyView, countCompanies, everyCompany } from './list-companies.ts'
import type { StandingView } from './standings.ts'

/** Both lists have these filters in their addresses. */
const common = {
  state: z.string().min(1).max(100).optional(),
  look: z.literal('1').optional(),
}

export const accountFilterFields = {
  list: z.literal('accounts'),
  type: z.enum(accountTypes).optional(),
  currency: z.string().min(1).max(100).optional(),
  ...common,
}

export const companyFilterFields = { list: z.literal('companies'), ...common }

const accounts = { ...accountFilterFields, format: z.enum(formats) }
const companies = { ...companyFilterFields, format: z.enum(formats) }

export const StandingsExportSchema = z.discriminatedUnion('list', [z.object(accounts), z.object(companies)])

export type StandingsExport = z.output<typeof StandingsExportSchema>

export const AllowStandingsExportSchema = z.discriminatedUnion('list', [
  z.object({ ...accounts, reason: ReasonSchema }),
  z.object({ ...companies, reason: ReasonSchema }),
])

/** The session may fetch the accounts or companies of a list for one minute. Throws `NotAllowed` and `SignInAgain`. */
export async function allowStandingsExport(
  caller: Caller,
  { reason, ...asked }: z.output<typeof AllowStandingsExportSchema>,
  source: CallSource,
): Promise<AllowedList> {
  requirePermission(caller, 'work-on-cases')
  requireFreshSignIn(caller)
  const { list, ...given } = asked
  const details = Object.fromEntries(
    Object.entries(given).flatMap(([name, said]) => (said === undefined ? [] : [[name, said]])),
  )
  const entry = { action: `${list}.export`, details } as const
  const total = await (asked.list === 'accounts'
    ? countAccounts(caller, filtersOf(asked))
    : countCompanies(caller, filtersOf(asked)))
  const ticket = await giveTicket(
    caller,
    { file: fileOf(asked), what: `${list} of a list`, entry, reason },
    source,
  )
  return { ticket, format: asked.format, total }
}

/**
 * The accounts or companies of a list come in portions, in the order of their ids, as CSV or as lines of JSON. The
 * session must have been allowed to fetch them. Reading stops when nobody takes them. Throws `NotAllowed`.
 */
export async function exportStandings(
  caller: Caller,
  asked: StandingsExport,
  ticket: string,
): Promise<AsyncGenerator<string>> {
  requirePermission(caller, 'work-on-cases')
  requireTicket(caller, fileOf(asked), ticket)
  return asked.list === 'accounts'
    ? fileText(asked.format, everyAccount(caller, filtersOf(asked)), accountColumns)
    : fileText(asked.format, everyCompany(caller, filtersOf(asked)), companyColumns)
}

/** The file's name says what it holds and when it was made. */
export function standingsFileName(asked: StandingsExport, now: number): string {
  const kind = asked.list === 'accounts' ? [asked.type, asked.currency] : []
  return `${exportFileName(asked.list, [asked.look && 'failed-lately', ...kind, asked.state], now)}.${asked.format}`
}

/** The schema gives the filters their order, and leaves out those that are not set. */
const fileOf = (asked: StandingsExport) => `standings ${JSON.stringify(asked)}`

const filtersOf = <T extends { readonly look?: '1' | undefined }>(asked: T) => ({
  ...asked,
  needsAttention: asked.look === '1',
})

const accountColumns: readonly FileColumn<StandingView>[] = [
  ['accountUuid', ({ id }) => id],
  ['type', ({ type }) => type],
  ['status', ({ state }) => state],
  ['doubt', ({ doubt }) => doubt ?? null],
  ['currency', ({ currency }) => currency],
  ['userUuid', ({ entityUuid }) => entityUuid],
  ['startedAt', ({ startedAt }) => startedAt],
  ['lastMoveAt', ({ lastMoveAt }) => lastMoveAt],
]

const companyColumns: readonly FileColumn<CompanyView>[] = [
  ['companyUuid', ({ id }) => id],
  ['verification', ({ verification }) => verification?.state ?? null],
  ['verificationDoubt', ({ verification }) => verification?.doubt ?? null],
  ['entityStatus', ({ entity }) => entity?.state ?? null],
  ['entityDoubt', ({ entity }) => entity?.doubt ?? null],
  ['people', ({ people }) => people],
  ['startedAt', ({ startedAt }) => startedAt],
  ['lastMoveAt', ({ lastMoveAt }) => lastMoveAt],
]
