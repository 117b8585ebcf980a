import 'server-only'
import type { Caller, CallSource } from '#lib/access/caller.ts'
import { type NewNotice, tellAdmins } from '#lib/audit/notices/notices.ts'
import { type AuditEntry, recordAudit } from '#lib/audit/record-audit.ts'
import { askStatus, settleStatus } from '#lib/deliveries/receivers/status-changes.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { logOf } from '#lib/platform/log.ts'
import { isLowerCaseUuid } from '#lib/platform/rules/ids.ts'
import { ServiceError } from '#lib/service/errors.ts'
import { announceEndpointChanged, recordState } from './endpoint-states.ts'
import { endGapsOfEndpoint, endRefusals } from './gaps/close-gap.ts'

const log = logOf('endpoints')

export type CommandDetails = Record<string, string | readonly string[] | null>

export type CommandChange = NonNullable<AuditEntry['change']>

export type CommandOutcome = Exclude<AuditEntry['outcome'], 'begun'>

/** `CommandRecord` writes one run of a command to the audit. A requested status is also kept as evidence of gaps. */
interface CommandRecord {
  /** `begin` is called before the service is asked. */
  begin(): Promise<void>
  /** `note` adds details of the outcome to the audit. */
  readonly note: (details: CommandDetails) => void
  /** `changing` gives the change that the audit records, unless it surely did not happen. */
  readonly changing: (change: CommandChange) => void
  /**
   * `end` records the outcome and, except after a refusal, wakes the watcher. It never throws, because a failed
   * write must not lose a secret that is shown only once. The audit already has the entry `begun`.
   */
  end(outcome: CommandOutcome, how?: CommandEnd): Promise<void>
}

/** A command that has ended gives these facts beside its outcome. */
interface CommandEnd {
  readonly involves?: Involvement | undefined
  /** This endpoint is now active, gone, or delivers elsewhere. */
  readonly noLongerOff?: string | null | undefined
  readonly error?: unknown
}

/** A command gives these facts before it is run. */
interface AskedCommand {
  readonly details: CommandDetails | undefined
  readonly status: 'active' | 'disabled' | undefined
  readonly notice: Pick<NewNotice, 'kind' | 'facts'> | undefined
}

export function openCommandRecord(
  about: Pick<AuditEntry, 'action' | 'reason'> & { readonly actor: Caller; readonly target: string },
  asked: AskedCommand,
  source: CallSource,
): CommandRecord {
  const { actor, action, target, reason } = about
  const { status, notice } = asked
  let details = { ...asked.details }
  let change: CommandChange | undefined
  let statusChange: string | undefined
  const audit = (tx: Transaction, outcome: AuditEntry['outcome'], error?: unknown) =>
    recordAudit(
      tx,
      {
        ...about,
        outcome,
        details: { ...details, ...answerIn(error) },
        ...(change && (outcome === 'done' || outcome === 'unsure') ? { change } : {}),
      },
      source,
    )
  return {
    begin: () =>
      inTransaction(pool(), async (tx) => {
        await audit(tx, 'begun')
        if (status !== undefined) statusChange = await askStatus(tx, target, status)
      }),
    note(more) {
      details = { ...details, ...more }
    },
    changing(said) {
      change = said
    },
    async end(outcome, { involves, noLongerOff, error } = {}) {
      try {
        await inTransaction(pool(), async (tx) => {
          if (statusChange !== undefined) await settleStatus(tx, statusChange, outcome)
          await audit(tx, outcome, error)
          if (involves) await recordInvolvement(tx, actor.id, involves)
          if (status !== undefined && outcome === 'done') await recordState(tx, target, status)
          if (noLongerOff) await endGapsOfEndpoint(tx, noLongerOff)
          if (involves?.newSecret || involves?.gone) await endRefusals(tx)
          if (notice && (outcome === 'done' || outcome === 'unsure'))
            await tellAdmins(tx, {
              ...notice,
              actor,
              about: endpointIn(target, details.endpointUuid),
              ...(reason === undefined ? {} : { reason }),
              facts: { ...(await nameIn(tx, details.replaces ?? target)), ...notice.facts, outcome },
            })
        })
      } catch (lost) {
        log.error({ action, target, outcome, err: lost }, 'How a change ended was not kept in the audit')
      }
      if (outcome === 'refused') return
      await announceEndpointChanged(pool(), target).catch((lost: unknown) =>
        log.warn(
          { action, target, err: lost },
          'The watcher was not notified of a change; it checks within a minute',
        ),
      )
    },
  }
}

/** The target of a creation is a place, and its answer names the new endpoint. */
const endpointIn = (target: string, made: CommandDetails[string] | undefined): string =>
  isLowerCaseUuid(target) || typeof made !== 'string' ? target : made

/**
 * The name is the one that the endpoint had when it was last seen. A new endpoint has no uuid, and an endpoint that
 * was never seen has no name.
 */
async function nameIn(
  tx: Transaction,
  uuid: CommandDetails[string],
): Promise<NonNullable<NewNotice['facts']>> {
  if (typeof uuid !== 'string' || !isLowerCaseUuid(uuid)) return {}
  const { rows } = await tx.query<{ name: string | null }>(NAME, [uuid])
  return rows[0]?.name ? { endpoint: rows[0].name } : {}
}

const NAME = 'SELECT name FROM endpoint_state WHERE endpoint_uuid = $1 ORDER BY seen_until DESC LIMIT 1'

/** The service gave this error as its answer. */
const answerIn = (error: unknown) =>
  error instanceof ServiceError ? { error: error.code, said: error.serviceMessage } : {}

/** `Involvement` says how a change connects the person who made it with the endpoint. */
export interface Involvement {
  readonly endpointUuid: string
  readonly made?: boolean
  /** The secret was replaced, so anybody who saw the old one no longer knows the secret. */
  readonly newSecret?: boolean
  /** The person was shown the secret. */
  readonly sawSecret?: boolean
  /** The endpoint was deleted. */
  readonly gone?: boolean
}

/** The table keeps who made an endpoint and who knows its secret, for the day when they leave the team. */
async function recordInvolvement(
  tx: Transaction,
  person: string,
  { endpointUuid, made, newSecret, sawSecret, gone }: Involvement,
): Promise<void> {
  if (gone) await tx.query(END_ALL, [endpointUuid])
  if (newSecret) await tx.query(END_SECRETS, [endpointUuid])
  if (made) await tx.query(INVOLVE, [endpointUuid, person, 'made'])
  if (sawSecret) await tx.query(INVOLVE, [endpointUuid, person, 'saw-secret'])
}

const END_ALL = 'UPDATE endpoint_person SET ended_at = now() WHERE endpoint_uuid = $1 AND ended_at IS NULL'

const END_SECRETS = `${END_ALL} AND what = 'saw-secret'`

const INVOLVE = `
  INSERT INTO endpoint_person (endpoint_uuid, person, what) VALUES ($1, $2, $3)
  ON CONFLICT (endpoint_uuid, person, what) DO UPDATE SET at = now(), ended_at = NULL`
