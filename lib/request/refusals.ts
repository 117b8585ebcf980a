import 'server-only'

/** Nobody is signed in, or the session has ended. */
export class NotSignedIn extends Error {
  override readonly name = 'NotSignedIn'
}

/** Signed in, but the role does not carry the permission. */
export class NotAllowed extends Error {
  override readonly name = 'NotAllowed'
}

/** The service session has ended (§5.4): the person must sign in again, then the call can be repeated. */
export class SignInAgain extends Error {
  override readonly name = 'SignInAgain'
}

/** An outcome shown to the person: what happened, and what to do next. Nothing was changed unless it says so. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly title: string
  readonly next: string

  constructor({ title, next }: { readonly title: string; readonly next: string }) {
    super(title)
    this.title = title
    this.next = next
  }
}

/** Input that only the server can judge: words beside each field, by its name. */
export class InvalidInput extends Error {
  override readonly name = 'Invalid'
  readonly fields: Record<string, string>

  constructor(fields: Record<string, string>) {
    super('Invalid input')
    this.fields = fields
  }
}
