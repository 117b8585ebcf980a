import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { z } from 'zod'
import {
  type Call,
  createCall,
  createHttpOperations,
  type EndpointInput,
  type OperationOutcome,
  type Operations,
} from './operations.ts'
import { type CheckReceiver, createPatience, type Patience, startCheckReceiver } from './receiver.ts'
import {
  bodyOf,
  CreatedEndpointSchema,
  type Envelope,
  type MessageParts,
  NamedUserSchema,
  rightParts,
  SessionSchema,
  writeMessage,
} from './shapes.ts'

export interface ServiceUnderTest {
  /** The address has the onboarding path and no slash at its end. */
  readonly baseUrl: string
  readonly apiKey: string
  /** Only the sandbox has a control interface. */
  readonly controlUrl?: string
}

/** The user belongs to one check. */
interface TestUser {
  readonly uuid: string
  readonly email: string
  readonly wallet: PrivateKeyAccount
}

/** The result has everything that the service can play for one person, as it arrived. */
export interface AllEvents {
  readonly person: TestUser
  /** The list has the transactionUuid of each played transaction. */
  readonly transactions: string[]
  readonly envelopes: Envelope[]
  of(type: string, subType?: string): Envelope[]
}

/** A check works with this context. Whatever it sets up is removed after it; users cannot be deleted (§4). */
export interface CheckContext {
  readonly baseUrl: string
  readonly service: Operations
  /** The operations use another API key. */
  serviceWithKey(apiKey: string): Operations
  readonly control: Control
  createPerson(email?: string): Promise<TestUser>
  /** The service does not know this person. */
  stranger(): TestUser
  /** The time is the service's, as far as a client can know it. */
  now(): Promise<Date>
  /** The person may sign in with this message now, except for `changes`. */
  composeMessage(person: TestUser, changes?: Partial<MessageParts>): Promise<string>
  /** The function composes a message, lets the person sign it, and sends it. */
  tryWallet(person: TestUser, changes?: Partial<MessageParts>): Promise<OperationOutcome>
  signIn(person: TestUser): Promise<z.output<typeof SessionSchema>>
  /** The function asks for a code and reads it in the mailbox. */
  askForCode(person: TestUser): Promise<string>
  createEndpoint(changes?: Partial<EndpointInput>): Promise<z.output<typeof CreatedEndpointSchema>>
  startReceiver(answer?: () => number): Promise<CheckReceiver>
  /** The event is about a person of its own, so that it cannot be confused with those of other checks. */
  sendEvent(changes?: Partial<Envelope>): Promise<Envelope>
  /** Every event is played once for all checks. */
  allEvents(): Promise<AllEvents>
}

/** A check over HTTP has these further tools. */
type HttpCheckContext = CheckContext & { call: Call; apiKey: string }

export interface OpenCheckContext {
  readonly world: HttpCheckContext
  close(): Promise<void>
}

/** The context speaks over HTTP and has no gallery, unless one is given. */
export function openCheckContext(
  { baseUrl, apiKey, controlUrl }: ServiceUnderTest,
  createOperations: (baseUrl: string, apiKey: string) => Operations = (...at) =>
    createHttpOperations(createCall(...at)),
  allEvents: () => Promise<AllEvents> = () => assert.fail('there is no gallery'),
  patience: Patience = createPatience(),
): OpenCheckContext {
  const service = createOperations(baseUrl, apiKey)
  const control = createControl(controlUrl ?? '', apiKey)
  const undo: (() => Promise<unknown>)[] = []

  const now = async () => (controlUrl ? control.now() : new Date())
  const composeMessage: CheckContext['composeMessage'] = async ({ wallet }, changes = {}) => {
    return writeMessage({ ...rightParts(baseUrl, wallet.address, await now()), ...changes })
  }
  const tryWallet: CheckContext['tryWallet'] = async (person, changes) => {
    const message = await composeMessage(person, changes)
    return service.signInWithWallet(message, await person.wallet.signMessage({ message }))
  }
  const world: HttpCheckContext = {
    baseUrl,
    apiKey,
    service,
    serviceWithKey: (key) => createOperations(baseUrl, key),
    control,
    allEvents,
    call: createCall(baseUrl, apiKey),
    now,
    composeMessage,
    tryWallet,
    stranger,
    async createPerson(email) {
      const person = { ...stranger(), ...(email && { email }) }
      const user = { email: person.email, target_address: person.wallet.address }
      return { ...person, uuid: bodyOf(NamedUserSchema, await service.createUser(user), 'creating a user') }
    },
    signIn: async (person) => bodyOf(SessionSchema, await tryWallet(person), 'signing in with a wallet'),
    async askForCode({ uuid, email }) {
      assert.equal((await service.sendCode(uuid)).status, 204, 'asking for a code')
      return (await control.mails(email)).at(-1)?.code ?? assert.fail('no code was mailed')
    },
    async createEndpoint(changes) {
      const endpoint = { url: 'https://receiver.example/hook', description: 'Conformance', ...changes }
      const created = bodyOf(
        CreatedEndpointSchema,
        await service.createEndpoint(endpoint),
        'creating an endpoint',
      )
      undo.push(() => service.deleteEndpoint(created.uuid))
      return created
    },
    async startReceiver(answer) {
      const receiver = await startCheckReceiver(answer, patience)
      undo.push(receiver.stop)
      return receiver
    },
    async sendEvent({ data, ...changes } = {}) {
      const marked = { ...data, conformance: true }
      const envelope = { type: 'AML', subType: 'conformance', uuid: randomUUID(), ...changes, data: marked }
      await control.send(envelope)
      return envelope
    },
  }
  return {
    world,
    async close() {
      for (const one of undo.reverse()) await one().catch(leaveToFindings)
    },
  }
}

/** A cleanup may fail when the service is gone, and must not hide the check's finding. */
const leaveToFindings = () => undefined

const stranger = (): TestUser => ({
  uuid: randomUUID(),
  email: `${randomUUID()}@conformance.test`,
  wallet: privateKeyToAccount(generatePrivateKey()),
})

/**
 * A check may need more than the contract: the control interface, the clock, the mailbox, or a receiver of ours that the
 * service can reach. Moving the clock disturbs other checks, so these run one by one.
 */
export type Need = 'control' | 'clock' | 'mailbox' | 'receiver'

/** A rule of the contract has one check. The check fails by throwing, and uses its own users and endpoints. */
export type Check = {
  /** The id is that of a rule in `contract.ts`. */
  id: string
  needs: readonly Need[]
} & (
  | { through: 'operations'; run(world: CheckContext): Promise<unknown> }
  | { through: 'http'; run(world: HttpCheckContext): Promise<unknown> }
)

/** The check is written in operations, so it runs over HTTP and through the dashboard's client. */
export const inOperations = (
  id: string,
  needs: readonly Need[],
  run: (world: CheckContext) => Promise<unknown>,
): Check => ({
  id,
  needs,
  through: 'operations',
  run,
})

/** The check needs the very bytes and headers, so it runs over HTTP alone. */
export const overHttp = (
  id: string,
  needs: readonly Need[],
  run: (world: HttpCheckContext) => Promise<unknown>,
): Check => ({
  id,
  needs,
  through: 'http',
  run,
})

/** The checks use these calls of the sandbox's control interface. */
type Control = ReturnType<typeof createControl>

/**
 * The key chooses the namespace, as it does for the service's calls.
 * @param url with its path, such as http://localhost:4010/_sandbox
 */
function createControl(url: string, apiKey: string) {
  async function ask<Body>(shape: z.ZodType<Body>, method: string, path: string, body?: unknown) {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: apiKey, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && {
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
      signal: AbortSignal.timeout(60_000),
    })
    if (!response.ok) throw new Error(`${method} ${path} of the control interface: ${response.status}`)
    return shape.parse(await response.json())
  }
  return {
    /** The mails to one address are listed oldest first. */
    mails: (email: string) => ask(MailsSchema, 'GET', `/mailbox?email=${encodeURIComponent(email)}`),
    now: async () => (await ask(ClockSchema, 'GET', '/clock')).now,
    /** The clock moves, and everything due on the way is done when this answers. */
    advance: (seconds: number) => ask(ClockSchema, 'POST', '/clock/advance', { seconds }),
    /**
     * The event goes to the endpoints that subscribe to it, and a text is sent unchanged. The result is the number of these
     * endpoints.
     */
    send: async (envelope: Envelope | string) =>
      (await ask(SentSchema, 'POST', '/events', envelope)).deliveries,
    /** The deliveries to one endpoint are listed newest first. */
    deliveries: (endpoint: string) =>
      ask(DeliveriesSchema, 'GET', `/deliveries?endpoint=${endpoint}&limit=10000`),
    scenarios: () => ask(ScenariosSchema, 'GET', '/scenarios'),
    /** The scenario plays as fast as its order allows. */
    play: (name: string, user_uuid: string) =>
      ask(PlaySchema, 'POST', '/scenarios', { name, user_uuid, speed: 'instant' }),
  }
}

const momentSchema = z.iso.datetime({ offset: true }).transform((text) => new Date(text))

const MailsSchema = z.array(z.looseObject({ email: z.string(), code: z.string() }))

const ClockSchema = z.looseObject({ now: momentSchema })

const SentSchema = z.looseObject({ deliveries: z.number() })

const DeliveriesSchema = z.array(
  z.looseObject({
    state: z.enum(['waiting', 'delivered', 'lost', 'stopped']),
    attempts_made: z.number(),
    next_attempt_at: momentSchema.nullable(),
    envelope: z.looseObject({ type: z.string(), uuid: z.string() }),
    attempts: z.array(
      z.looseObject({
        number: z.number(),
        started_at: momentSchema,
        duration_ms: z.number(),
        url: z.string(),
      }),
    ),
  }),
)

const ScenariosSchema = z.array(z.looseObject({ name: z.string(), group: z.string() }))

const PlaySchema = z.looseObject({ transaction_uuid: z.guid().optional(), events: z.number() })
