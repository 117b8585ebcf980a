import 'server-only'

/** A person reads what happened, and what to do next. */
interface RefusalMessage {
  readonly title: string
  readonly next: string
}

/** A refusal is answered by this HTTP status, or by this kind of state when an action was called. */
interface RefusalAnswer {
  readonly status: number
  readonly state: 'refused' | 'invalid' | 'signed-out'
}

/** Every refusal of a use case has a code. */
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
export abstract class UseCaseRefusal extends Error {
  readonly code: keyof typeof refusalAnswers
  readonly title: string
  readonly next: string
  /** Form fields have these messages, by the name of the field. */
  readonly fields: Record<string, string> = {}

  constructor(code: keyof typeof refusalAnswers, { title, next }: RefusalMessage) {
    super(title)
    this.name = code
    this.code = code
    this.title = title
    this.next = next
  }

  get answer(): RefusalAnswer {
    return refusalAnswers[this.code]
  }
}

/** Nobody is signed in, or the session has ended. */
export class NotSignedIn extends UseCaseRefusal {
  constructor() {
    super('not-signed-in', { title: 'Sign in.', next: 'Then try again.' })
  }
}

/** The service session has ended (§5.4). The person must sign in again, and then the call can be repeated. */
export class SignInAgain extends UseCaseRefusal {
  constructor() {
    super('sign-in-again', { title: 'Sign in again.', next: 'Then try again.' })
  }
}

/** The person is signed in, but the role does not have the permission. */
export class NotAllowed extends UseCaseRefusal {
  constructor() {
    super('not-allowed', {
      title: 'Your role does not allow this.',
      next: 'Nothing was changed. Ask an administrator to do it, or to give you the role.',
    })
  }
}

/** The request did not come from a page of ours, so nobody is known to want it. */
export class NotFromHere extends UseCaseRefusal {
  constructor(message: RefusalMessage) {
    super('not-allowed', message)
  }
}

/** The cursor is not one that the list made, or belongs to another order. */
export class CursorRefused extends UseCaseRefusal {
  constructor() {
    super('cursor-refused', {
      title:
        'This page of the list is not known: its address was cut off or changed, or is of another sorting.',
      next: 'Begin at the top of the list.',
    })
  }
}

/** The person has made more requests than one person may. */
export class TooMany extends UseCaseRefusal {
  /** @param seconds until the next try */
  constructor(seconds: number, message: Partial<RefusalMessage> = {}) {
    super('too-many', {
      title: 'That is more than one person may ask for.',
      next: `Wait ${waitLabel(seconds)}, then try again.`,
      ...message,
    })
  }
}

/** The label says in words how long to wait. */
export function waitLabel(seconds: number): string {
  if (seconds <= 90) return `${seconds} seconds`
  return seconds <= 2 * 3600 ? `${Math.ceil(seconds / 60)} minutes` : `${Math.ceil(seconds / 3600)} hours`
}

/** Only the server can check this input. The messages are by the name of each field. */
export class InvalidInput extends UseCaseRefusal {
  override readonly fields: Record<string, string>

  constructor(fields: Record<string, string>) {
    super('invalid-input', { title: 'Some of the input is not valid.', next: 'Correct it and try again.' })
    this.fields = fields
  }
}

/** The use case shows this outcome to the person in its own words. */
export class Refused extends UseCaseRefusal {
  constructor(message: RefusalMessage) {
    super('refused', message)
  }
}

/** `onRefusal` is for `.catch`: it answers one kind of refusal with `instead`, and throws any other error again. */
export const onRefusal =
  <R extends UseCaseRefusal, T>(Kind: abstract new (...given: never[]) => R, instead: (refusal: R) => T) =>
  (error: unknown): T => {
    if (error instanceof Kind) return instead(error)
    throw error
  }
