import type { RegistrationOptions } from '#lib/identity/passkeys/begin-registration.ts'
import type { SignatureOptions } from '#lib/identity/passkeys/sign-in-with-passkey.ts'
import { type Action, type ActionState, idle } from '#lib/platform/forms/action-state.ts'
import { passkeyFailure } from './passkey-failure.ts'

/** An action that has the device sign first, and then sends what it gave as the field `answer`. */
export const signThen = <T>(begin: Action<SignatureOptions>, finish: Action<T>): Action<T> =>
  askThen(signWithPasskey(begin), finish)

/** An action that has the device make a passkey first; `begin` gets the form's fields too. */
export const makeThen = <T>(begin: Action<RegistrationOptions>, finish: Action<T>): Action<T> =>
  askThen(
    ask('make', begin, ({ startRegistration }, optionsJSON) => startRegistration({ optionsJSON })),
    finish,
  )

/** An action that asks the server what to sign and the device to sign it; its value is the device’s answer as JSON. */
export const signWithPasskey = (begin: Action<SignatureOptions>): Action<string> =>
  ask('sign', begin, ({ startAuthentication }, optionsJSON) => startAuthentication({ optionsJSON }))

function askThen<T>(device: Action<string>, finish: Action<T>): Action<T> {
  return async (_first: unknown, form: FormData = new FormData()): Promise<ActionState<T>> => {
    const asked = await device(idle, form)
    if (asked.kind !== 'done') return asked
    form.set('answer', asked.value)
    return finish(idle, form)
  }
}

function ask<Options>(
  purpose: 'make' | 'sign',
  begin: Action<Options>,
  device: (library: typeof import('@simplewebauthn/browser'), options: Options) => Promise<object>,
): Action<string> {
  return async (_first: unknown, form: FormData = new FormData()): Promise<ActionState<string>> => {
    if (!('PublicKeyCredential' in window)) return refused(noPasskeys)
    const begun = await begin(idle, form)
    if (begun.kind !== 'done') return begun
    const library = await import('@simplewebauthn/browser')
    const asked = Date.now()
    try {
      return { kind: 'done', value: JSON.stringify(await device(library, begun.value)) }
    } catch (error) {
      return refused(passkeyFailure(purpose, error, Date.now() - asked))
    }
  }
}

const refused = (words: ReturnType<typeof passkeyFailure>): ActionState<never> => ({
  kind: 'refused',
  ...words,
  values: {},
})

const noPasskeys = {
  title: 'This browser knows no passkeys.',
  next: 'Use a current version of Chrome, Edge, Firefox or Safari, or sign in another way.',
}
