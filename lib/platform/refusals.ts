import 'server-only'
import {
  type FieldMessage,
  type Refusal,
  type RefusalCode,
  type RefusalValues,
  refusal,
  type ValuesFor,
  type WaitTime,
  wordRefusal,
} from '#lib/words/labels/refusals.ts'

/** A refusal is answered by this HTTP status, or by this kind of state when an action was called. */
interface RefusalAnswer {
  readonly status: number
  readonly state: 'refused' | 'invalid' | 'signed-out'
}

/** A refusal of a use case is of one of these kinds. */
export const refusalAnswers = {
  'not-signed-in': { status: 401, state: 'signed-out' },
  'sign-in-again': { status: 401, state: 'signed-out' },
  'not-allowed': { status: 403, state: 'refused' },
  'cursor-refused': { status: 400, state: 'refused' },
  'too-many': { status: 429, state: 'refused' },
  'invalid-input': { status: 422, state: 'invalid' },
  refused: { status: 409, state: 'refused' },
} as const satisfies Record<string, RefusalAnswer>

/**
 * A use case refuses a request and says why. Nothing was changed unless the message says so. Any other error is a fault of
 * the program.
 */
export abstract class UseCaseRefusal extends Error implements Refusal {
  readonly kind: keyof typeof refusalAnswers
  readonly code: RefusalCode
  readonly values: RefusalValues
  /** Form fields have these messages, by the name of the field. */
  readonly fields: Readonly<Record<string, FieldMessage>> = {}

  /** The message is English, for the log. */
  constructor(kind: keyof typeof refusalAnswers, why: Refusal) {
    super(wordRefusal('en', why).title)
    this.name = kind
    this.kind = kind
    this.code = why.code
    this.values = why.values
  }

  get answer(): RefusalAnswer {
    return refusalAnswers[this.kind]
  }
}

/** Nobody is signed in, or the session has ended. */
export class NotSignedIn extends UseCaseRefusal {
  constructor() {
    super('not-signed-in', refusal('not-signed-in'))
  }
}

/** The service session has ended (§5.4). The person must sign in again, and then the call can be repeated. */
export class SignInAgain extends UseCaseRefusal {
  constructor() {
    super('sign-in-again', refusal('sign-in-again'))
  }
}

/** The person is signed in, but the role does not have the permission. */
export class NotAllowed extends UseCaseRefusal {
  constructor() {
    super('not-allowed', refusal('not-allowed'))
  }
}

/** The request did not come from a page of ours, so nobody is known to want it. */
export class NotFromHere extends UseCaseRefusal {
  constructor(why: Refusal) {
    super('not-allowed', why)
  }
}

/** The cursor is not one that the list made, or belongs to another order. */
export class CursorRefused extends UseCaseRefusal {
  constructor() {
    super('cursor-refused', refusal('cursor-refused'))
  }
}

/** The person has made more requests than one person may. */
export class TooMany<Code extends RefusalCode = RefusalCode> extends UseCaseRefusal {
  constructor(code: Code, ...values: ValuesFor<Code>) {
    super('too-many', refusal(code, ...values))
  }
}

/** The words of a refusal name this time to wait. */
export function waitTime(seconds: number): WaitTime {
  if (seconds <= 90) return { n: seconds, unit: seconds === 1 ? 'second' : 'seconds' }
  return seconds < 2 * 3600
    ? { n: Math.ceil(seconds / 60), unit: 'minutes' }
    : { n: Math.ceil(seconds / 3600), unit: 'hours' }
}

/** Only the server can check this input. The messages are by the name of each field. */
export class InvalidInput extends UseCaseRefusal {
  override readonly fields: Readonly<Record<string, FieldMessage>>

  constructor(fields: Readonly<Record<string, FieldMessage>>) {
    super('invalid-input', refusal('invalid-input'))
    this.fields = fields
  }
}

/** The use case refuses for the reason of this code. */
export class Refused<Code extends RefusalCode = RefusalCode> extends UseCaseRefusal {
  constructor(code: Code, ...values: ValuesFor<Code>) {
    super('refused', refusal(code, ...values))
  }
}

/** `onRefusal` is for `.catch`: it answers one kind of refusal with `instead`, and throws any other error again. */
export const onRefusal =
  <R extends UseCaseRefusal, T>(Kind: abstract new (...given: never) => R, instead: (refusal: R) => T) =>
  (error: unknown): T => {
    if (error instanceof Kind) return instead(error)
    throw error
  }
