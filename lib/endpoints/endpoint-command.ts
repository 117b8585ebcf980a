import 'server-only'
import { z } from 'zod'
import { type Caller, type CallSource, requireFreshSignIn, requirePermission } from '#lib/access/caller.ts'
import type { NewNotice } from '#lib/audit/notices/notices.ts'
import type { AuditAction } from '#lib/audit/record-audit.ts'
import { eventTypes } from '#lib/deliveries/rules/event-types.ts'
import { isAllowedScheme, receiverIdOf } from '#lib/platform/addresses/receiver-url.ts'
import { closeConnection, connect } from '#lib/platform/db/connect.ts'
import { advisoryLocks } from '#lib/platform/db/locks.ts'
import { env } from '#lib/platform/env.ts'
import { uuidField, WebAddressSchema } from '#lib/platform/forms/fields.ts'
import { Refused, UseCaseRefusal } from '#lib/platform/refusals.ts'
import { refuseWithServiceMessage, type ServiceOperation } from '#lib/service/error-messages.ts'
import { surelyNotDone } from '#lib/service/errors.ts'
import {
  type CommandChange,
  type CommandDetails,
  type CommandOutcome,
  type Involvement,
  openCommandRecord,
} from './command-record.ts'

/** A change of an endpoint, as its use case describes it. */
interface EndpointCommand<Form, Result> {
  readonly action: AuditAction
  /** What the service is asked, for the words of a refusal. */
  readonly operation: ServiceOperation
  /** Whether it sends data elsewhere, shows or ends a secret, or stops deliveries: then it needs a fresh sign-in. */
  readonly needsFreshSignIn: boolean
  /** Endpoints, or what will become one: nobody else changes these meanwhile. */
  readonly locks: (form: Form) => readonly string[]
  /** What the audit names. */
  readonly target: (form: Form) => string
  /** What was asked for, to read later in the audit. */
  readonly details?: (form: Form) => CommandDetails
  /** The status that is asked for, if one is: evidence of gaps. */
  readonly status?: (form: Form) => 'active' | 'disabled'
  /** What all admins are told of it. */
  readonly notice?: (form: Form) => Pick<NewNotice, 'kind' | 'facts'>
  /** Whose endpoint it is now, and who has seen its secret, as far as this change says it. */
  readonly involves?: (result: Result, form: Form) => Involvement
  /** An endpoint that is active now, gone, or delivers elsewhere: the gaps that last because it was off end with the command. */
  readonly noLongerOff?: (result: Result) => string | null
  readonly perform: (form: Form, running: RunningCommand) => Promise<Result>
}

/** What a command can do while it runs. */
export interface RunningCommand {
  /** Locks another endpoint as well, until the command ends. Throws `Refused`. */
  readonly lockAlso: (id: string) => Promise<void>
  /** Adds to what the audit says about how the command ended. */
  readonly note: (details: CommandDetails) => void
  /** Says what is changed: as it was, and as it will be. */
  readonly changing: (change: CommandChange) => void
}

/**
 * Makes the use case of a command: the role, a fresh sign-in, one change at a time, the audit before and after, and the
 * service's refusal in words. What cannot be written down is not begun; what was begun and has no outcome in the audit
 * was interrupted. The use case throws `NotAllowed`, `SignInAgain`, `InvalidInput` and `Refused`.
 */
export const endpointCommand =
  <Form extends object, Result>(command: EndpointCommand<Form, Result>) =>
  async (caller: Caller, form: Form, source: CallSource): Promise<Result> => {
    requirePermission(caller, 'manage-endpoints')
    if (command.needsFreshSignIn) requireFreshSignIn(caller)
    const { action, target, details, status, notice, involves, noLongerOff } = command
    const about = { actor: caller, action, target: target(form), ...reasonIn(form) }
    const asked = { details: details?.(form), status: status?.(form), notice: notice?.(form) }
    const record = openCommandRecord(about, asked, source)
    try {
      const result = await withEndpointLock(command.locks(form), async (lockAlso) => {
        await record.begin()
        return command.perform(form, { lockAlso, note: record.note, changing: record.changing })
      })
      await record.end('done', { involves: involves?.(result, form), noLongerOff: noLongerOff?.(result) })
      return result
    } catch (error) {
      await record.end(outcomeOf(error), { error })
      return refuseWithServiceMessage(command.operation)(error)
    }
  }

/** For a command about one endpoint: that one is locked, and the audit names it. */
export const aboutOneEndpoint = {
  locks: ({ endpointUuid }: { readonly endpointUuid: string }) => [endpointUuid],
  target: ({ endpointUuid }: { readonly endpointUuid: string }) => endpointUuid,
}

/** Forms that need a fresh sign-in ask for one. */
const reasonIn = (form: object) =>
  'reason' in form && typeof form.reason === 'string' ? { reason: form.reason } : {}

function outcomeOf(error: unknown): CommandOutcome {
  if (error instanceof UseCaseRefusal) return 'refused'
  return surelyNotDone(error) ? 'failed' : 'unsure'
}

/**
 * Serialises changes of one endpoint over all processes: two rotations at once could store the older secret. The
 * locks are bound to a transaction, so they do not survive a crash and work through a pooler. They use a connection
 * of their own, since it is held while the service is asked. A lock that is taken is refused at once, so locks may be
 * taken in any order; `lockAlso` takes one more. Throws `Refused`.
 */
export async function withEndpointLock<T>(
  ids: readonly string[],
  work: (lockAlso: (id: string) => Promise<void>) => Promise<T>,
): Promise<T> {
  // A lost connection ends the locks, not the process, nor the change under way.
  const client = await connect(env().databaseUrl, 'rampart endpoint lock', 5_000)
  const lock = async (id: string) => {
    const { rows } = await client.query<{ free: boolean }>(
      'SELECT pg_try_advisory_xact_lock($1, hashtext($2)) AS free',
      [advisoryLocks.endpoints, id.toLowerCase()],
    )
    if (!rows[0]?.free) throw new Refused(busy)
  }
  try {
    await client.query('BEGIN')
    for (const id of ids) await lock(id)
    return await work(lock)
  } finally {
    await closeConnection(client)
  }
}

const busy = {
  title: 'This endpoint is being changed right now.',
  next: 'Nothing was changed by you. Wait a few seconds, reload the page and look again.',
}

export const EndpointUuidSchema = uuidField('This is not the id of an endpoint.')

/** When the secret that a page speaks of was shown, as `EndpointView.shownAt`. */
export const SeenSecretSchema = z.iso.datetime().optional()

/** §2.3: at most 255 characters. */
export const DescriptionSchema = z
  .string('Describe what this endpoint is for.')
  .trim()
  .min(1, 'Describe what this endpoint is for.')
  .max(255, 'At most 255 characters.')

/** One type or several; none reads as null, which is every type, and which only a new endpoint can be given (§2.3). */
export const SubscribedEventsSchema = z
  .preprocess(
    (given) => (typeof given === 'string' ? [given] : (given ?? [])),
    z.array(z.enum(eventTypes, 'The service has no such event type.')),
  )
  .transform((list) => (list.length === 0 ? null : [...new Set(list)]))

/** A url elsewhere: HTTPS (§8), except on this machine with the sandbox. */
export const UrlElsewhereSchema = WebAddressSchema.refine(
  (text) => isAllowedScheme(new URL(text)),
  'The address must start with https://.',
).refine(
  (text) => receiverIdOf(text) === null,
  'This is an address of this dashboard: choose “this dashboard” instead.',
)

/** For `.catch`: if the service surely did nothing, undoes what was written before it was asked. Rethrows. */
export const undoIfSurelyNotDone =
  (undo: () => Promise<unknown>) =>
  async (error: unknown): Promise<never> => {
    if (surelyNotDone(error)) await undo()
    throw error
  }
