import 'server-only'
import { cookies, headers } from 'next/headers'
import { unstable_rethrow } from 'next/navigation'
import { z } from 'zod'
import { type ActionContext, type Caller, requirePermission } from '#lib/access/caller.ts'
import type { Permission } from '#lib/access/rules/roles.ts'
import { mayHaveTakenEffect } from '#lib/platform/db/in-transaction.ts'
import { type Action, type ActionState, type FormValues, repeatAs } from '#lib/platform/forms/action-state.ts'
import { storableFields } from '#lib/platform/forms/fields.ts'
import { refusalOfOrigin } from '#lib/platform/http/own-origin.ts'
import { randomToken } from '#lib/platform/keys/digests-and-seals.ts'
import { currentRequest, logOf } from '#lib/platform/log.ts'
import { NotAllowed, UseCaseRefusal } from '#lib/platform/refusals.ts'
import type { Language } from '#lib/platform/rules/language.ts'
import { ownValue } from '#lib/platform/rules/names.ts'
import { type Refusal, refusal, wordField, wordRefusal } from '#lib/words/labels/refusals.ts'
import { countDenied } from '../sessions/denied-requests.ts'
import { findSession, findSetUpCaller, readLanguage, readRequestContext } from '../sessions/read-request.ts'
import { touchSession } from '../sessions/read-session.ts'
import { browserCookie, readSessionToken } from '../sessions/session-cookie.ts'
import { findSessionOwner, personTags } from '../sessions/session-state.ts'

const log = logOf('actions')

/**
 * Every server action is wrapped by this: it checks the caller, the role, the origin of the request and the
 * shape of the input. `perform` returns the value, or throws a `UseCaseRefusal`.
 */
export function action<S extends z.ZodType, T>(
  schema: S,
  who: 'anyone',
  perform: Perform<Caller | null, S, T, ActionContext>,
): Action<T>
export function action<S extends z.ZodType, T>(
  schema: S,
  who: Permission | 'signed-in' | 'setting-up',
  perform: Perform<Caller, S, T, ActionContext>,
): Action<T>
export function action<S extends z.ZodType, T>(...guarded: Guarded<S, T, ActionContext>): Action<T> {
  return async (first: unknown, form?: FormData): Promise<ActionState<T>> => {
    const input = form instanceof FormData ? fieldsOf(form) : InputObjectSchema.safeParse(first).data
    // Somebody who opened a link of the team reads English pages.
    const language = guarded[1] === 'setting-up' ? 'en' : await readLanguage()
    return answerOf(guarded, input ?? {}, language)
  }
}

async function answerOf<S extends z.ZodType, T>(
  guarded: Guarded<S, T, ActionContext>,
  input: Record<string, unknown>,
  language: Language,
): Promise<ActionState<T>> {
  try {
    return await runAction(guarded, await readRequest(input, language), await readActionContext())
  } catch (error) {
    unstable_rethrow(error)
    return unexpectedError(error, language)
  }
}

const InputObjectSchema = z.record(z.string(), z.unknown())

/** Each field has one text, or several when it occurs more than once. Files and Next's own fields are left out. */
function fieldsOf(form: FormData): Record<string, unknown> {
  const names = [...new Set(form.keys())].filter((name) => !name.startsWith('$ACTION'))
  return Object.fromEntries(
    names.map((name) => {
      const texts = form.getAll(name).filter((value) => typeof value === 'string')
      return [name, texts.length > 1 ? texts : texts[0]]
    }),
  )
}

async function readRequest(input: Record<string, unknown>, language: Language): Promise<ActionRequest> {
  const [given, jar] = await Promise.all([headers(), cookies()])
  const caller = await findSession()
  if (caller) await touchSession(caller)
  const settingUp = caller ? null : await findSetUpCaller()
  const token = caller ? null : await readSessionToken(jar)
  const lastCallerId = caller?.id ?? (token === null ? null : await findSessionOwner(token))
  return { headers: given, caller, settingUp, lastCallerId, input, language, onDenied: countDenied }
}

/** A browser without an id gets one. The id outlives sessions, so that a person's own browser stays known. */
async function readActionContext(): Promise<ActionContext> {
  const context = await readRequestContext()
  if (context.browserId !== null) return { ...context, browserId: context.browserId }
  const { name, options } = browserCookie()
  const browserId = randomToken()
  const jar = await cookies()
  jar.set(name, browserId, { ...options, maxAge: 400 * 24 * 3600 })
  return { ...context, browserId }
}

/** An unexpected error is logged with a number that the person can quote. */
function unexpectedError(error: unknown, language: Language): ActionState<never> {
  const number = currentRequest().request ?? randomToken().slice(0, 8)
  log.error({ request: number, err: error }, 'An action failed')
  return { kind: 'refused', ...wordRefusal(language, refusal('unexpected', { number })), values: {} }
}

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
type Guarded<S extends z.ZodType, T, Context> =
  | [schema: S, who: 'anyone', perform: Perform<Caller | null, S, T, Context>]
  | [schema: S, who: Permission | 'signed-in' | 'setting-up', perform: Perform<Caller, S, T, Context>]

type Perform<C, S extends z.ZodType, T, Context> = (
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
  const { [repeatAs]: repeatedFor, ...input } = storableFields(request.input)
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
  const invalid = (messages: Readonly<Record<string, string>>) => {
    const worded = Object.entries(messages).map(([name, text]) => [name, wordField(language, text)])
    return { kind: 'invalid', fields: Object.fromEntries(worded), values } as const
  }
  // A stranger's form is not read where the caller is to be known.
  const performAs = async <C>(caller: C, work: Perform<C, S, T, Context>): Promise<ActionState<T>> => {
    const form = schema.safeParse(input)
    if (!form.success) return invalid(fieldMessages(form.error))
    return { kind: 'done', value: await work(caller, form.data, context) }
  }
  try {
    if (who === 'anyone') return await performAs(request.caller, perform)
    if (who === 'setting-up') {
      if (!request.settingUp) return refused(refusal('set-up-ended'))
      return await performAs(request.settingUp, perform)
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
    return await performAs(caller, perform)
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
