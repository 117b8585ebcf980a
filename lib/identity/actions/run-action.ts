import 'server-only'
import { z } from 'zod'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import type { Permission } from '#lib/access/rules/roles.ts'
import { mayHaveTakenEffect } from '#lib/platform/db/in-transaction.ts'
import { type ActionState, type FormValues, repeatAs } from '#lib/platform/forms/action-state.ts'
import { refusalOfOrigin } from '#lib/platform/http/own-origin.ts'
import { logOf } from '#lib/platform/log.ts'
import { NotAllowed, UseCaseRefusal } from '#lib/platform/refusals.ts'
import type { Language } from '#lib/platform/rules/language.ts'
import { ownValue } from '#lib/platform/rules/names.ts'
import { type Refusal, refusal, wordField, wordRefusal } from '#lib/words/labels/refusals.ts'
import { personTags } from '../sessions/session-state.ts'

const log = logOf('actions')

/** The request holds the input and the caller of an action, before anything was checked. */
export interface ActionRequest {
  /** These headers say which page the request came from. */
  readonly headers: Pick<Headers, 'get'>
  readonly caller: Caller | null
  /** Somebody who opened a link is setting up a way to sign in; then `caller` is null. */
  readonly settingUp: Caller | null
  /** The browser last had the session of this caller, ended or not, as `Caller.id`. */
  readonly lastCallerId: string | null
  readonly input: Record<string, unknown>
  /** Refusals are worded in this language. */
  readonly language: Language
  /** Denied attempts are counted: of a role, of somebody who is not signed in, and of another site. */
  readonly onDenied: (caller: Caller | null, what: string) => Promise<void>
}

/** An action has an input schema, a permission and its work, before it is wrapped. */
export type Guarded<S extends z.ZodType, T, Context> =
  | [schema: S, who: 'anyone', perform: Perform<Caller | null, S, T, Context>]
  | [schema: S, who: Permission | 'signed-in' | 'setting-up', perform: Perform<Caller, S, T, Context>]

export type Perform<C, S extends z.ZodType, T, Context> = (
  caller: C,
  form: z.output<S>,
  context: Context,
) => Promise<T>

/** The origin, session, role and input are checked in this order, then the work is done; each outcome becomes a state. */
export async function runAction<S extends z.ZodType, T, Context>(
  guarded: Guarded<S, T, Context>,
  request: ActionRequest,
  context: Context,
): Promise<ActionState<T>> {
  const { [repeatAs]: repeatedFor, ...input } = request.input
  const values = givenValues(guarded[0], input)
  const { language } = request
  const refused = (why: Refusal) => ({ kind: 'refused', ...wordRefusal(language, why), values }) as const
  const signedOut = (callerId: string | null) =>
    ({ kind: 'signed-out', as: tagOf(callerId), values }) as const

  const otherOrigin = refusalOfOrigin(request.headers)
  if (otherOrigin) {
    await request.onDenied(request.caller, 'another origin')
    return refused(otherOrigin)
  }
  const [schema, who, perform] = guarded
  const form = schema.safeParse(input)
  const invalid = (messages: Readonly<Record<string, string>>) => {
    const worded = Object.entries(messages).map(([name, text]) => [name, wordField(language, text)])
    return { kind: 'invalid', fields: Object.fromEntries(worded), values } as const
  }
  try {
    if (who === 'anyone') {
      if (!form.success) return invalid(fieldMessages(form.error))
      return { kind: 'done', value: await perform(request.caller, form.data, context) }
    }
    if (who === 'setting-up') {
      if (!request.settingUp) return refused(refusal('set-up-ended'))
      if (!form.success) return invalid(fieldMessages(form.error))
      return { kind: 'done', value: await perform(request.settingUp, form.data, context) }
    }
    const { caller } = request
    if (!caller) {
      await request.onDenied(null, `action: ${who}`)
      return signedOut(request.lastCallerId)
    }
    if (repeatedFor !== undefined && !personTags(caller.id).some((tag) => tag === repeatedFor)) {
      return refused(refusal('other-person'))
    }
    if (who !== 'signed-in') requirePermission(caller, who)
    if (!form.success) return invalid(fieldMessages(form.error))
    return { kind: 'done', value: await perform(caller, form.data, context) }
  } catch (error) {
    if (mayHaveTakenEffect(error)) {
      log.error({ err: error }, 'The connection to the database was lost: an action may have taken effect')
      return refused(refusal('may-have-taken-effect'))
    }
    if (!(error instanceof UseCaseRefusal)) throw error
    if (error instanceof NotAllowed) await request.onDenied(request.caller, `action: ${who}`)
    const states = {
      refused: () => refused(error),
      invalid: () => invalid(error.fields),
      'signed-out': () => signedOut(request.caller?.id ?? null),
    }
    return states[error.answer.state]()
  }
}

const tagOf = (callerId: string | null) => (callerId === null ? null : personTags(callerId)[0])

/** Each field gets its first message, by its name on the form. */
function fieldMessages(error: z.ZodError): Record<string, string> {
  const byField = Map.groupBy(error.issues, ({ path }) => String(path[0] ?? ''))
  return Object.fromEntries([...byField].map(([field, issues]) => [field, issues[0]?.message ?? '']))
}

/** The form shows the typed values of its own fields again. */
function givenValues(schema: z.ZodType, input: Record<string, unknown>): FormValues {
  const read = [...fieldNames(schema)].map(
    (name) => [name, TypedSchema.safeParse(ownValue(input, name))] as const,
  )
  return Object.fromEntries(read.flatMap(([name, { success, data }]) => (success ? [[name, data]] : [])))
}

const TypedSchema = z.union([z.string(), z.array(z.string()), z.number().transform(String)])

/** A form of this schema may have fields with these names. */
function fieldNames(schema: z.core.$ZodType): ReadonlySet<string> {
  if (schema instanceof z.ZodObject) return new Set(Object.keys(schema.shape))
  if (schema instanceof z.ZodUnion)
    return new Set(schema.options.flatMap((option) => [...fieldNames(option)]))
  if (schema instanceof z.ZodPipe)
    return fieldNames(schema.in instanceof z.ZodTransform ? schema.out : schema.in)
  return new Set()
}
