import { OperatorError } from '../operator-error.ts'

/** The log has these fields of an error. Values that a person or a delivery gave are left out. */
export interface ErrorFields {
  readonly name: string
  readonly message: string
  readonly code?: string | number
  /** PostgreSQL's errors have a table and a constraint. */
  readonly table?: string
  readonly constraint?: string
  /** The stack has the frames without the message. */
  readonly stack?: string
  readonly cause?: ErrorFields
  /** The list has the first errors of an `AggregateError`. */
  readonly errors?: readonly ErrorFields[]
}

interface Facts {
  readonly code?: unknown
  readonly table?: unknown
  readonly constraint?: unknown
}

const longestMessage = 500
const mostFrames = 12

/**
 * `depth` limits the number of causes. The fields of an error are named one by one, because others of PostgreSQL's errors
 * (`detail`, `where`) quote values of rows.
 */
export function errorFields(error: unknown, depth = 3): ErrorFields {
  if (!(error instanceof Error))
    return { name: typeof error, message: textOf(error).slice(0, longestMessage) }
  const { name, cause } = error
  const facts: Facts = Object.fromEntries(Object.entries(error))
  const stack = framesOf(error)
  return {
    name,
    message: messageOf(error, facts.code).slice(0, longestMessage),
    ...(isCode(facts.code) ? { code: facts.code } : {}),
    ...(typeof facts.table === 'string' ? { table: facts.table } : {}),
    ...(typeof facts.constraint === 'string' ? { constraint: facts.constraint } : {}),
    ...(stack === '' ? {} : { stack }),
    ...(cause !== undefined && depth > 0 ? { cause: errorFields(cause, depth - 1) } : {}),
    ...(error instanceof AggregateError && depth > 0
      ? { errors: error.errors.slice(0, 3).map((one) => errorFields(one, 0)) }
      : {}),
  }
}

/** A cause that is no error is described: an HTTP answer by its status, and an object by its field names, without values. */
function textOf(thrown: unknown): string {
  if (isAnswer(thrown))
    return `HTTP ${thrown.status}, ${thrown.headers.get('content-type') ?? 'without a type'}`
  if (typeof thrown === 'string' && thrown.startsWith('eyJ')) return 'a token'
  if (typeof thrown !== 'object' || thrown === null) return String(thrown)
  return `an object with ${Object.keys(thrown).join(', ') || 'no fields'}`
}

/** `isAnswer` recognises an HTTP answer by its shape, because a process may have more than one `Response`. */
export const isAnswer = (thrown: unknown): thrown is Response =>
  typeof thrown === 'object' &&
  thrown !== null &&
  'status' in thrown &&
  typeof thrown.status === 'number' &&
  'headers' in thrown

/** `messageOfError` says in one line what went wrong, for people and for other logs. An `OperatorError` has lines of its own. */
export function messageOfError(error: unknown): string {
  if (error instanceof OperatorError) return error.message
  const root = rootOf(error)
  if (isUnknownAuthority(root))
    return 'its certificate is of an authority that is not known here; name the file with that of the authority: NODE_EXTRA_CA_CERTS=/etc/ssl/ca.pem'
  const { message } = errorFields(root, 0)
  return message.includes(':wrong version number:') ? 'it does not speak TLS at this port' : message
}

/**
 * `isUnknownAuthority` is true when a certificate was refused because of its issuer. Node's own message then recommends an
 * option with which older versions refuse to start.
 */
export const isUnknownAuthority = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && unknownAuthority.has(String(error.code))

const unknownAuthority = new Set([
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
])

/** `fetch` gives the reason in its cause. For several addresses that refuse, Node makes one error without a message. */
function rootOf(error: unknown): unknown {
  if (error instanceof AggregateError && error.message === '') return rootOf(error.errors[0])
  if (error instanceof TypeError && error.message === 'fetch failed') return rootOf(error.cause)
  return error
}

function messageOf({ name, message }: Error, code: unknown): string {
  // Prisma's message shows the whole call with its arguments, and the problem in its last line.
  if (name.startsWith('PrismaClient')) return message.trim().split('\n').at(-1) ?? ''
  const quotesValues = name === 'SyntaxError' || (typeof code === 'string' && /^22/.test(code))
  return quotesValues ? message.replace(/".*"/s, '"…"') : message
}

const isCode = (code: unknown): code is string | number =>
  typeof code === 'string' || typeof code === 'number'

const framesOf = ({ stack = '' }: Error) =>
  stack
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /^at .*(:\d+:\d+\)?|\(native\)|<anonymous>\)?)$/.test(line))
    .slice(0, mostFrames)
    .join('\n')
