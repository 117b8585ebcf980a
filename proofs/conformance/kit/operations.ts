/** What came of an operation. A client that does not report which success it was says 200. */
export interface OperationOutcome {
  readonly status: number
  readonly body: unknown
}

/** Whose data a user-scoped call is about (§5.1). */
export type Credential = { session: string } | { userUuid: string }

export interface UserInput {
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

/** What a client of the service does (§4), with bodies in the wire's spelling, whoever carries it out. */
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
