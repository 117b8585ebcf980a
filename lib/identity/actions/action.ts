import 'server-only'
import { cookies, headers } from 'next/headers'
import { unstable_rethrow } from 'next/navigation'
import { z } from 'zod'
import type { ActionContext, Caller } from '#lib/access/caller.ts'
import type { Permission } from '#lib/access/rules/roles.ts'
import type { Action, ActionState } from '#lib/platform/forms/action-state.ts'
import { currentRequest, logOf } from '#lib/platform/log.ts'
import type { Language } from '#lib/platform/rules/language.ts'
import { refusal, wordRefusal } from '#lib/words/labels/refusals.ts'
import { countDenied } from '../sessions/denied-requests.ts'
import { findSession, findSetUpCaller, readLanguage, readRequestContext } from '../sessions/read-request.ts'
import { browserCookie, readSessionToken } from '../sessions/session-cookie.ts'
import { touchSession } from '../sessions/session-lifetime.ts'
import { findSessionOwner } from '../sessions/session-state.ts'
import { randomToken } from '../sessions/token.ts'
import { type ActionRequest, type Guarded, type Perform, runAction } from './run-action.ts'

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
