import 'server-only'
import { z } from 'zod'
import { type Caller, type CallSource, requireFreshSignIn, requirePermission } from '#lib/access/caller.ts'
import type { NewNotice } from '#lib/audit/notices/notices.ts'
import type { AuditAction } from '#lib/audit/record-audit.ts'
import { eventTypes } from '#lib/deliveries/rules/event-types.ts'
import { isAllowedScheme, receiverIdOf } from '#lib/platform/addresses/public-address.ts'
import { closeConnection, connect, liftLimits } from '#lib/platform/db/connect.ts'
import { advisoryLocks } from '#lib/platform/db/locks.ts'
import { env } from '#lib/platform/env.ts'
import { uuidField, WebAddressSchema } from '#lib/platform/forms/fields.ts'
import { Refused, UseCaseRefusal } from '#lib/platform/refusals.ts'
import { refuseWithServiceMessage, type ServiceOperation, surelyNotDone } from '#lib/service/errors.ts'
import {
  type CommandChange,
  type CommandDetails,
  type CommandOutcome,
  type Involvement,
  openCommandRecord,
} from './command-record.ts'

/** `EndpointCommand` describes how a use case changes an endpoint. */
interface EndpointCommand<Form, Result> {
  readonly action: AuditAction
  /** The refusal names the operation that the service was asked for. */
  readonly operation: ServiceOperation
  /** A command needs a fresh sign-in when it sends data elsewhere, shows or ends a secret, or stops deliveries. */
  readonly needsFreshSignIn: boolean
  /** The command locks these endpoints, or what will become one: nobody else changes them meanwhile. */
  readonly locks: (form: Form) => readonly string[]
  /** The audit names this target. */
  readonly target: (form: Form) => string
  /** The audit keeps what was asked for. */
  readonly details?: (form: Form) => CommandDetails
  /** The requested status, if any, is evidence of gaps. */
  readonly status?: (form: Form) => 'active' | 'disabled'
  /** All admins get this notice. */
  readonly notice?: (form: Form) => Pick<NewNotice, 'kind' | 'facts'>
  /** `involves` says who owns the endpoint now and who has seen its secret, as far as this change shows it. */
  readonly involves?: (result: Result, form: Form) => Involvement
  /**
   * This endpoint is now active, gone, or delivers elsewhere: the command ends the gaps that last because it was
   * off.
   */
  readonly noLongerOff?: (result: Result) => string | null
  readonly perform: (form: Form, running: RunningCommand) => Promise<Result>
}

/** `RunningCommand` is what a command can do while it runs. */
export interface RunningCommand {
  /** `lockAlso` locks another endpoint until the command ends. Throws `Refused`. */
  readonly lockAlso: (id: string) => Promise<void>
  /** `note` adds details of the outcome to the audit. */
  readonly note: (details: CommandDetails) => void
  /** `changing` gives the endpoint as it was and as it will be. */
  readonly changing: (change: CommandChange) => void
  /** `asks` names what the service is asked for next, when it is not the command's `operation`. */
  readonly asks: (operation: ServiceOperation) => void
  /**
   * The service has made a part of the change. Whatever fails from now on, the change is not called failed, and the refusal
   * is that of `next`.
   */
  readonly tookEffect: (next: ServiceOperation) => void
}

/**
 * The use case checks the role and a fresh sign-in, makes one change at a time, and writes the audit before and
 * after. A command that cannot be recorded is not begun; one that has no outcome in the audit was interrupted. The
 * use case throws `NotAllowed`, `SignInAgain`, `InvalidInput` and `Refused`.
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
    let operation: ServiceOperation = command.operation
    let isHalfDone = false
    const asks = (next: ServiceOperation) => {
      operation = next
    }
    const tookEffect = (next: ServiceOperation) => {
      isHalfDone = true
      operation = next
    }
    try {
      const result = await withEndpointLock(command.locks(form), async (lockAlso) => {
        await record.begin()
        const { note, changing } = record
        return command.perform(form, { lockAlso, note, changing, asks, tookEffect })
      })
      await record.end('done', { involves: involves?.(result, form), noLongerOff: noLongerOff?.(result) })
      return result
    } catch (error) {
      await record.end(isHalfDone ? 'unsure' : outcomeOf(error), { error })
      return refuseWithServiceMessage(operation)(error)
    }
  }

/** A command about one endpoint locks that endpoint, and the audit names it. */
export const aboutOneEndpoint = {
  locks: ({ endpointUuid }: { readonly endpointUuid: string }) => [endpointUuid],
  target: ({ endpointUuid }: { readonly endpointUuid: string }) => endpointUuid,
}

/** Forms of commands that need a fresh sign-in have a reason. */
const reasonIn = (form: object) =>
  'reason' in form && typeof form.reason === 'string' ? { reason: form.reason } : {}

function outcomeOf(error: unknown): CommandOutcome {
  if (error instanceof UseCaseRefusal) return 'refused'
  return surelyNotDone(error) ? 'failed' : 'unsure'
}

/**
 * The lock makes all processes change one endpoint one after another: two rotations at once could store the older
 * secret. It is bound to a transaction on its own connection, so it survives no crash and works through a pooler. A
 * taken lock is refused at once, so the order of locks does not matter. Throws `Refused`.
 */
export async function withEndpointLock<T>(
  ids: readonly string[],
  work: (lockAlso: (id: string) => Promise<void>) => Promise<T>,
): Promise<T> {
  // A lost connection ends the locks, but neither the process nor the change that is under way.
  const client = await connect(env().databaseUrl, 'rampart endpoint lock', 5_000)
  const lock = async (id: string) => {
    const { rows } = await client.query<{ free: boolean }>(
      'SELECT pg_try_advisory_xact_lock($1, hashtext($2)) AS free',
      [advisoryLocks.endpoints, id.toLowerCase()],
    )
    if (!rows[0]?.free) throw new Refused('endpoint-busy')
  }
  try {
    await client.query('BEGIN')
    await liftLimits(client, 'LOCAL')
    for (const id of ids) await lock(id)
    return await work(lock)
  } finally {
    await closeConnection(client)
  }
}

export const EndpointUuidSchema = uuidField('This is not the id of an endpoint.')

/** The page gives the time when it showed the secret, as `EndpointView.shownAt`. */
export const SeenSecretSchema = z.iso.datetime().optional()

/** A description has at most 255 characters (§2.3). */
export const DescriptionSchema = z
  .string('Describe what this endpoint is for.')
  .trim()
  .min(1, 'Describe what this endpoint is for.')
  .max(255, 'At most 255 characters.')

/**
 * The form gives one type or several. None becomes null, which means every type; only a new endpoint can have that
 * (§2.3).
 */
export const SubscribedEventsSchema = z
  .preprocess(
    (given) => (typeof given === 'string' ? [given] : (given ?? [])),
    z.array(z.enum(eventTypes, 'The provider has no such event type.')),
  )
  .transform((list) => (list.length === 0 ? null : [...new Set(list)]))

/** A url elsewhere has HTTPS (§8), except on this machine with the sandbox. */
export const UrlElsewhereSchema = WebAddressSchema.refine(
  (text) => isAllowedScheme(new URL(text)),
  'The address must start with https://.',
).refine(
  (text) => receiverIdOf(text) === null,
  'This is an address of this dashboard: choose “this dashboard” instead.',
)

/**
 * `catch` calls this: if the service surely did nothing, it undoes what was written before the service was asked.
 * It rethrows the error.
 */
export const undoIfSurelyNotDone =
  (undo: () => Promise<unknown>) =>
  async (error: unknown): Promise<never> => {
    if (surelyNotDone(error)) await undo()
    throw error
  }
