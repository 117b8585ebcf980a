import { type Action, type ActionState, idle } from '#lib/forms/action-state.ts'
import type { RegistrationOptions } from '#lib/passkeys/begin-registration.ts'
import type { SignatureOptions } from '#lib/passkeys/sign-in-with-passkey.ts'

/** Why there is no answer of a device: one that the form shows like any other. */
type NoAnswer = Exclude<ActionState<never>, { kind: 'idle' | 'done' }>

export type PasskeyAnswer = { readonly kind: 'answered'; readonly answer: string } | NoAnswer

/** An action that has the device sign first, and then sends what it gave as the field `answer`. */
export const signThen = <T>(begin: Action<SignatureOptions>, finish: Action<T>): Action<T> =>
  askThen((form) => signWithPasskey(begin, form), finish)

/** An action that has the device make a passkey first; `begin` gets the form's fields too. */
export const makeThen = <T>(begin: Action<RegistrationOptions>, finish: Action<T>): Action<T> =>
  askThen(
    (form) =>
      ask(begin, form, async (optionsJSON) =>
        (await import('@simplewebauthn/browser')).startRegistration({ optionsJSON }),
      ),
    finish,
  )

/** Asks the server what to sign and the device to sign it. */
export const signWithPasskey = (begin: Action<SignatureOptions>, form = new FormData()) =>
  ask(begin, form, async (optionsJSON) =>
    (await import('@simplewebauthn/browser')).startAuthentication({ optionsJSON }),
  )

function askThen<T>(device: (form: FormData) => Promise<PasskeyAnswer>, finish: Action<T>): Action<T> {
  return async (_first: unknown, form: FormData = new FormData()): Promise<ActionState<T>> => {
    const asked = await device(form)
    if (asked.kind !== 'answered') return asked
    form.set('answer', asked.answer)
    return finish(idle, form)
  }
}

async function ask<Options>(
  begin: Action<Options>,
  form: FormData,
  device: (options: Options) => Promise<object>,
): Promise<PasskeyAnswer> {
  if (!('PublicKeyCredential' in window)) return refused(noPasskeys)
  const begun = await begin(idle, form)
  if (begun.kind === 'idle') return refused(wentWrong)
  if (begun.kind !== 'done') return begun
  try {
    return { kind: 'answered', answer: JSON.stringify(await device(begun.value)) }
  } catch (error) {
    return refused(wordsFor(error instanceof Error ? error.name : ''))
  }
}

interface Words {
  readonly title: string
  readonly next: string
}

const refused = (words: Words): NoAnswer => ({ kind: 'refused', ...words, values: {} })

function wordsFor(name: string): Words {
  if (name === 'NotAllowedError' || name === 'AbortError') return declined
  if (name === 'InvalidStateError') return hasOne
  if (name === 'SecurityError') return wrongAddress
  return wentWrong
}

const declined = {
  title: 'No passkey was used. Nothing happened.',
  next: 'You declined, or the time ran out. Try again when you are ready.',
}
const hasOne = {
  title: 'This device has a passkey for you already.',
  next: 'Use that one, or add one on another device.',
}
const wrongAddress = {
  title: 'This address cannot use passkeys.',
  next: 'Open the dashboard by its own address, with HTTPS.',
}
const noPasskeys = {
  title: 'This browser knows no passkeys.',
  next: 'Use a current version of Chrome, Edge, Firefox or Safari, or sign in another way.',
}
const wentWrong = {
  title: 'The device gave no answer that could be used.',
  next: 'Nothing was changed. Try again, or use another device.',
}
