/** An operation has this outcome. A client that does not report which success it was answers 200. */
export interface OperationOutcome {
  readonly status: number
  readonly body: unknown
}

/** A user-scoped call names its user like this (§5.1). */
type Credential = { session: string } | { userUuid: string }

interface UserInput {
  readonly email: string
  readonly target_address: string
}

export interface EndpointInput {
  readonly url: string
  readonly description: string
  readonly subscribed_events?: string[]
}

export interface EndpointChangeInput {
  readonly url?: string
  readonly status?: 'active' | 'disabled'
  readonly subscribed_events?: string[]
}

/** A client of the service does these operations (§4), with bodies in the wire's spelling, through any driver. */
export interface Operations {
  createUser(user: UserInput): Promise<OperationOutcome>
  readUser(as: Credential): Promise<OperationOutcome>
  sendCode(userUuid: string): Promise<OperationOutcome>
  signInWithCode(userUuid: string, code: string): Promise<OperationOutcome>
  signInWithWallet(message: string, signature: string): Promise<OperationOutcome>
  listCountries(): Promise<OperationOutcome>
  createEndpoint(endpoint: EndpointInput): Promise<OperationOutcome>
  listEndpoints(status?: 'active' | 'disabled' | 'auto_disabled'): Promise<OperationOutcome>
  readEndpoint(id: string): Promise<OperationOutcome>
  updateEndpoint(id: string, change: EndpointChangeInput): Promise<OperationOutcome>
  rotateSecret(id: string): Promise<OperationOutcome>
  deleteEndpoint(id: string): Promise<OperationOutcome>
}

// ASSUMED: what POST /user wants besides the e-mail address and target_address (§4.3 does not show it).
export const otherUserFields = { first_name: 'Ana', last_name: 'Ruiz', country: 'ES' }

interface HttpAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: unknown
}

/**
 * The request is relative to base_url. It carries the API key unless `headers` says otherwise (`null` leaves a header out).
 */
export type Call = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string | null>,
) => Promise<HttpAnswer>

/** The driver uses nothing but `fetch`. A body that is text is sent unchanged. */
export function createCall(baseUrl: string, apiKey: string, timeoutMs = 30_000): Call {
  return async (method, path, body, headers = {}) => {
    const sent = new Headers({ authorization: apiKey })
    if (body !== undefined) sent.set('content-type', 'application/json')
    for (const [name, value] of Object.entries(headers)) {
      if (value === null) sent.delete(name)
      else sent.set(name, value)
    }
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: sent,
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: readJson(text) }
  }
}

/** The operations follow the contract's text. */
export function createHttpOperations(call: Call): Operations {
  const collection = '/merchant/webhook-endpoints'
  return {
    createUser: (user) => call('POST', '/user', { ...otherUserFields, ...user }),
    readUser: (as) => call('GET', '/user', undefined, credentialHeaders(as)),
    sendCode: (user_uuid) => call('POST', '/auth/login', { user_uuid }),
    signInWithCode: (user_uuid, one_time_password) =>
      call('POST', '/auth/otp/', { user_uuid, one_time_password }),
    signInWithWallet: (message, signature) => call('POST', '/auth/login', { message, signature }),
    listCountries: () => call('GET', '/supported/countries'),
    createEndpoint: (endpoint) => call('POST', collection, endpoint),
    async listEndpoints(status) {
      const answer = await call('GET', status ? `${collection}?status=${status}` : collection)
      return { ...answer, body: unwrapList(answer.body) }
    },
    readEndpoint: (id) => call('GET', `${collection}/${id}`),
    updateEndpoint: (id, change) => call('PATCH', `${collection}/${id}`, change),
    rotateSecret: (id) => call('PATCH', `${collection}/${id}/secret`),
    deleteEndpoint: (id) => call('DELETE', `${collection}/${id}`),
  }
}

/** §5.1 defines this. */
const credentialHeaders = (as: Credential): Record<string, string> =>
  'session' in as ? { 'service-session-id': as.session } : { 'user-uuid': as.userUuid }

// ASSUMED: a "list of endpoints" (§4.2) is an array, bare or as the one array in an object.
function unwrapList(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  return Object.values(body).find(Array.isArray) ?? body
}

/** The result is undefined when the text is not JSON. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
