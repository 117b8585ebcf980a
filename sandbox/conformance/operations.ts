/** What came of an operation. A client that does not tell which success it was says 200. */
export type Outcome = { status: number; body: unknown }

/** Whose data a user-scoped call is about (§5.1). */
export type Credential = { session: string } | { userUuid: string }

export type NewUser = { email: string; target_address: string }

export type NewEndpoint = { url: string; description: string; subscribed_events?: string[] }

export type EndpointChange = { url?: string; status?: 'active' | 'disabled'; subscribed_events?: string[] }

/** What a client of the service does (§4), with bodies in the wire's spelling, whoever carries it out. */
export type Operations = {
  createUser(user: NewUser): Promise<Outcome>
  readUser(as: Credential): Promise<Outcome>
  sendCode(userUuid: string): Promise<Outcome>
  signInWithCode(userUuid: string, code: string): Promise<Outcome>
  signInWithWallet(message: string, signature: string): Promise<Outcome>
  listCountries(): Promise<Outcome>
  createEndpoint(endpoint: NewEndpoint): Promise<Outcome>
  listEndpoints(status?: 'active' | 'disabled' | 'auto_disabled'): Promise<Outcome>
  readEndpoint(id: string): Promise<Outcome>
  updateEndpoint(id: string, change: EndpointChange): Promise<Outcome>
  rotateSecret(id: string): Promise<Outcome>
  deleteEndpoint(id: string): Promise<Outcome>
}

// ASSUMED: what POST /user wants besides the e-mail address and target_address (§4.3 does not show it).
export const otherUserFields = { first_name: 'Ana', last_name: 'Ruiz', country: 'ES' }
