import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { z } from 'zod'
import { type Control, createControl } from './control.ts'
import { type Call, createCall } from './http-operations.ts'
import { type MessageParts, rightParts, writeMessage } from './message.ts'
import type { NewEndpoint, Operations, Outcome } from './operations.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { bodyOf, CreatedEndpoint, CreatedUser, type Envelope, Session } from './shapes.ts'

/** A service to check. */
export type Host = {
  /** With the onboarding path, without a slash at its end. */
  baseUrl: string
  apiKey: string
  /** Only the sandbox has one. */
  controlUrl?: string
}

/** A user of the check's own. */
export type Person = { uuid: string; email: string; wallet: PrivateKeyAccount }

/** What a check works with. Whatever it sets up is taken down after it; users cannot be deleted (§4). */
export type World = {
  baseUrl: string
  service: Operations
  control: Control
  createPerson(email?: string): Promise<Person>
  /** A message that the person may sign in with now, apart from `changes`. */
  composeMessage(person: Person, changes?: Partial<MessageParts>): Promise<string>
  /** Composes, has the person sign, and sends. */
  tryWallet(person: Person, changes?: Partial<MessageParts>): Promise<Outcome>
  signIn(person: Person): Promise<z.output<typeof Session>>
  /** Has a code sent, and reads it in the mailbox. */
  askForCode(person: Person): Promise<string>
  createEndpoint(changes?: Partial<NewEndpoint>): Promise<z.output<typeof CreatedEndpoint>>
  startReceiver(answer?: () => number): Promise<Receiver>
  /** Sends an event about somebody of its own, so that it can be told from those of other checks. */
  sendEvent(changes?: Partial<Envelope>): Promise<Envelope>
}

/** What a check over HTTP alone has besides. */
export type HttpWorld = World & { call: Call; apiKey: string }

export type OpenWorld = { world: HttpWorld; close(): Promise<void> }

export function openWorld(host: Host, service: Operations): OpenWorld {
  const { baseUrl, apiKey, controlUrl } = host
  const control = createControl(controlUrl ?? '')
  const undo: (() => Promise<unknown>)[] = []

  const composeMessage: World['composeMessage'] = async ({ wallet }, changes = {}) => {
    const now = controlUrl ? await control.now() : new Date()
    return writeMessage({ ...rightParts(baseUrl, wallet.address, now), ...changes })
  }
  const tryWallet: World['tryWallet'] = async (person, changes) => {
    const message = await composeMessage(person, changes)
    return service.signInWithWallet(message, await person.wallet.signMessage({ message }))
  }
  const world: HttpWorld = {
    baseUrl,
    apiKey,
    service,
    control,
    call: createCall(baseUrl, apiKey),
    composeMessage,
    tryWallet,
    async createPerson(email = `${randomUUID()}@conformance.test`) {
      const wallet = privateKeyToAccount(generatePrivateKey())
      const created = await service.createUser({ email, target_address: wallet.address })
      return { uuid: bodyOf(CreatedUser, created, 'creating a user'), email, wallet }
    },
    signIn: async (person) => bodyOf(Session, await tryWallet(person), 'signing in with a wallet'),
    async askForCode({ uuid, email }) {
      assert.equal((await service.sendCode(uuid)).status, 204, 'asking for a code')
      return (await control.mails(email)).at(-1)?.code ?? assert.fail('no code was mailed')
    },
    async createEndpoint(changes) {
      const endpoint = { url: 'https://receiver.example/hook', description: 'Conformance', ...changes }
      const created = bodyOf(CreatedEndpoint, await service.createEndpoint(endpoint), 'creating an endpoint')
      undo.push(() => service.deleteEndpoint(created.uuid))
      return created
    },
    async startReceiver(answer) {
      const receiver = await startReceiver(answer)
      undo.push(receiver.stop)
      return receiver
    },
    async sendEvent(changes) {
      const envelope = { type: 'AML', subType: 'conformance', uuid: randomUUID(), data: {}, ...changes }
      await control.send(envelope)
      return envelope
    },
  }
  return {
    world,
    async close() {
      // What cannot be taken down, with the service gone, must not hide what the check found.
      for (const one of undo.reverse()) await one().catch(() => undefined)
    },
  }
}
