import type { RegistrationOptions } from '#lib/identity/passkeys/registration.ts'
import type { SignatureOptions } from '#lib/identity/passkeys/verify-passkey.ts'
import { type Action, type ActionState, idle } from '#lib/platform/forms/action-state.ts'

/** The action has the device sign first, and then sends the device's answer as the field `answer`. */
export const signThen = <T>(begin: Action<SignatureOptions>, finish: Action<T>): Action<T> =>
  askThen(signWithPasskey(begin), finish)

/** The action has the device make a passkey first. `begin` gets the form's fields too. */
export const makeThen = <T>(begin: Action<RegistrationOptions>, finish: Action<T>): Action<T> =>
  askThen(
    ask('make', begin, ({ startRegistration }, optionsJSON) => startRegistration({ optionsJSON })),
    finish,
  )

/** The action asks the server what to sign and the device to sign it. Its value is the device’s answer as JSON. */
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

/** A person takes longer than this to read and decline, in ms. */
const minHumanMs = 1_000

interface Words {
  readonly title: string
  readonly next: string
}

/**
 * The message says why a device made or used no passkey. Browsers report a refusal, a time-out and most other
 * failures alike (`NotAllowedError`), so that no page learns what is there; the message names each. `tookMs` is the
 * time from the question to the refusal.
 */
export function passkeyFailure(purpose: 'make' | 'sign', error: unknown, tookMs: number): Words {
  const name = error instanceof Error ? error.name : ''
  if (name === 'NotAllowedError') return (tookMs < minHumanMs ? refusedAtOnce : noneGiven)[purpose]
  if (name === 'AbortError') return replaced
  if (name === 'SecurityError') return wrongAddress
  return (purpose === 'make' ? unfit.get(name) : undefined) ?? wentWrong
}

const needs =
  'A security key needs a PIN: set one in your computer or browser settings. U2F-only keys cannot store passkeys.'

const refusedAtOnce = {
  make: {
    title: 'The device refused at once. Nothing happened.',
    next: `${needs} Then try again, or use another device, such as your phone.`,
  },
  sign: {
    title: 'The device refused at once. Nothing happened.',
    next: 'It may have no passkey for this dashboard, or no fingerprint, face or PIN. Use the device that has your passkey, or sign in another way.',
  },
}

const noneGiven = {
  make: {
    title: 'No passkey was made. Nothing happened.',
    next: `You declined, the time ran out, or the device cannot do it. ${needs} Try again, or use another device.`,
  },
  sign: {
    title: 'No passkey was used. Nothing happened.',
    next: 'You declined, the time ran out, or the device has no passkey for this dashboard. A security key also needs its PIN. Try again, or sign in another way.',
  },
}

/** The error's name says why no passkey can be made there. */
const unfit: ReadonlyMap<string, Words> = new Map(
  Object.entries({
    InvalidStateError: {
      title: 'This device has a passkey for you already.',
      next: 'Use that one, or add one on another device.',
    },
    ConstraintError: {
      title: 'This device cannot keep a passkey for you. Nothing happened.',
      next: `${needs} Then try again, or use another device, such as your phone.`,
    },
    NotSupportedError: {
      title: 'This device is too old for the passkeys of this dashboard.',
      next: 'Nothing happened. Use a newer security key, this computer or your phone.',
    },
  }),
)

const replaced = {
  title: 'Another request took the place of this one.',
  next: 'Nothing happened. Try again here, and close what your browser still asks elsewhere.',
}
const wrongAddress = {
  title: 'This address cannot use passkeys.',
  next: 'Open the dashboard by its own address, with HTTPS.',
}
const wentWrong = {
  title: 'The device gave no answer that could be used.',
  next: 'Nothing was changed. Try again, or use another device.',
}
