import 'server-only'

/** What a person is told: what happened, and what to do next. */
interface RefusalMessage {
  readonly title: string
  readonly next: string
}

/** How a refusal is answered: by which HTTP status, and by which kind of state when an action was called. */
interface RefusalAnswer {
  readonly status: number
  readonly state: 'refused' | 'invalid' | 'signed-out'
}

/** Every refusal of a use case, by its code. */
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
 * A use case does not do what it was asked, and says why to whoever asked. Nothing was changed unless the message says so.
 * Any other error is a fault of the program.
 */
export abstract class UseCaseRefusal extends Error {
  readonly code: keyof typeof refusalAnswers
  readonly title: string
  readonly next: string
  /** Messages beside the fields of a form, by the name of the field. */
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

/** The service session has ended (§5.4): the person must sign in again, then the call can be repeated. */
export class SignInAgain extends UseCaseRefusal {
  constructor() {
    super('sign-in-again', { title: 'Sign in again.', next: 'Then try again.' })
  }
}

/** Signed in, but the role does not carry the permission. */
export class NotAllowed extends UseCaseRefusal {
  constructor() {
    super('not-allowed', {
      title: 'Your role does not allow this.',
      next: 'Nothing was changed. Ask an administrator to do it, or to give you the role.',
    })
  }
}

/** Came from no page of ours, and so from nobody who is known to want it. */
export class NotFromHere extends UseCaseRefusal {
  constructor(message: RefusalMessage) {
    super('not-allowed', message)
  }
}

/** The given place in a list is none that the list gave out, or belongs to another order. */
export class CursorRefused extends UseCaseRefusal {
  constructor() {
    super('cursor-refused', {
      title:
        'This page of the list is not known: its address was cut off or changed, or is of another sorting.',
      next: 'Begin at the top of the list.',
    })
  }
}

/** Asked more often than one person may. */
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

/** How long to wait, in words. */
export function waitLabel(seconds: number): string {
  if (seconds <= 90) return `${seconds} seconds`
  return seconds <= 2 * 3600 ? `${Math.ceil(seconds / 60)} minutes` : `${Math.ceil(seconds / 3600)} hours`
}

/** Input that only the server can judge: messages beside each field, by its name. */
export class InvalidInput extends UseCaseRefusal {
  override readonly fields: Record<string, string>

  constructor(fields: Record<string, string>) {
    super('invalid-input', { title: 'Some of the input is not valid.', next: 'Correct it and try again.' })
    this.fields = fields
  }
}

/** An outcome shown to the person, in the words of the use case. */
export class Refused extends UseCaseRefusal {
  constructor(message: RefusalMessage) {
    super('refused', message)
  }
}

/** For `.catch`: answers one kind of refusal with `instead`; any other error stays as it is. */
export const onRefusal =
  <R extends UseCaseRefusal, T>(Kind: abstract new (...given: never[]) => R, instead: (refusal: R) => T) =>
  (error: unknown): T => {
    if (error instanceof Kind) return instead(error)
    throw error
  }
