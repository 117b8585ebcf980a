import 'server-only'
import { type Caller, type CallSource, requireFreshSignIn, requirePermission } from '#lib/access/caller.ts'
import type { NewNotice } from '#lib/audit/notices/notices.ts'
import type { AuditAction } from '#lib/audit/record-audit.ts'
import { UseCaseRefusal } from '#lib/platform/refusals.ts'
import { refuseWithServiceMessage, type ServiceOperation } from '#lib/service/error-messages.ts'
import { surelyNotDone } from '#lib/service/errors.ts'
import {
  type CommandChange,
  type CommandDetails,
  type CommandOutcome,
  openCommandRecord,
} from './command-record.ts'
import { withEndpointLock } from './endpoint-lock.ts'
import type { Involvement } from './endpoint-people.ts'

/** A change of an endpoint, as its use case describes it. */
export interface EndpointCommand<Form, Result> {
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
