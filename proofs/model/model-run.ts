import { randomBytes, randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { TestAnswer, TestCaller } from '../../sandbox/test/running.ts'
import type { ExpectedOutcome, Model, ModelReceivers } from './model.ts'
import type { ModelMessage } from './users.ts'

/** A real sandbox is called in the model's names. Each sequence has its own users, wallets and endpoints. */
export interface ModelRun {
  readonly sandbox: TestCaller & { readonly publicUrl: string }
  readonly receivers: ModelReceivers
  /** The sequence began at this time of the sandbox's clock. */
  readonly began: number
  /** The prefix separates this sequence's addresses from the others'. */
  readonly prefix: string
  /** The two maps translate between the model's names and the sandbox's values. */
  readonly values: Map<string, string>
  readonly names: Map<string, string>
  /** The codes mailed to each user are listed first to last. */
  readonly codes: Map<string, string[]>
  readonly wallets: Map<string, ReturnType<typeof privateKeyToAccount>>
  readonly signed: { readonly message: ModelMessage; readonly text: string; readonly signature: string }[]
  /** The sent events are kept as text, by their mark. */
  readonly sent: Map<string, string>
}

/** The sandbox did something else than the model. */
class Difference extends Error {
  override name = 'Difference'
}

export async function startModelRun(
  sandbox: ModelRun['sandbox'],
  receivers: ModelReceivers,
): Promise<ModelRun> {
  receivers.received.length = 0
  const { body } = await sandbox.control('GET', '/clock')
  return {
    sandbox,
    receivers,
    began: Date.parse(body.now),
    prefix: randomBytes(6).toString('hex'),
    values: new Map(),
    names: new Map(),
    codes: new Map(),
    wallets: new Map(),
    signed: [],
    sent: new Map(),
  }
}

/** The answer is compared with the model's, in the model's names. */
export function expectAnswer(world: ModelRun, answer: TestAnswer, expected: ExpectedOutcome): void {
  expectSame('status', answer.status, expected.status)
  if (expected.body) expectSame('body', withNames(world, answer.body), expected.body)
  const retryAfter = answer.headers.get('retry-after') ?? undefined
  expectSame('Retry-After', retryAfter, expected.retryAfter?.toString())
}

export function expectSame(what: string, actual: unknown, expected: unknown): void {
  if (isDeepStrictEqual(actual, expected)) return
  const text = (value: unknown) => JSON.stringify(value, null, 1)
  throw new Difference(`${what}: the sandbox has ${text(actual)}, the model ${text(expected)}`)
}

/** `value` must be new, and is known by `name` from now on. */
export function bindName(world: ModelRun, name: string, value: unknown): void {
  if (typeof value !== 'string' || value.length < 16 || world.names.has(value))
    throw new Difference(`${name} is no new value: ${world.names.get(String(value)) ?? value}`)
  world.names.set(value, name)
  world.values.set(name, value)
}

/** The result is the real value of a name, or an unknown id when there is no name. */
export const realValue = (world: ModelRun, name: string | undefined) =>
  world.values.get(name ?? '') ?? randomUUID()

/** The result has the model's names in place of real values, at any depth. */
export function withNames(world: ModelRun, value: unknown): unknown {
  if (typeof value === 'string')
    return world.names.get(value) ?? value.replace(world.receivers.origin, '').replace(`${world.prefix}-`, '')
  if (Array.isArray(value)) return value.map((item) => withNames(world, item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withNames(world, inner)]))
}

/** The result is the address of a receiver's path. A full address stays as it is. */
export const addressOf = (world: ModelRun, url: string) =>
  url.startsWith('/') ? `${world.receivers.origin}${url}` : url

export const emailOf = (world: ModelRun, email: string) => `${world.prefix}-${email}`

/**
 * The result is a moment of the sandbox's clock in the model's time, in whole seconds, because far less than one second
 * really passes.
 */
export const momentOf = (world: ModelRun, time: string) =>
  Math.floor((Date.parse(time) - world.began) / 1_000) * 1_000

export function walletOf(world: ModelRun, name: string) {
  const wallet = world.wallets.get(name) ?? privateKeyToAccount(generatePrivateKey())
  world.wallets.set(name, wallet)
  world.names.set(wallet.address, name)
  return wallet
}

/** The text is EIP-4361, line by line as in §5.2, signed by the person whom the message names. */
export async function signMessage(world: ModelRun, message: ModelMessage) {
  const { host, hostname } = new URL(world.sandbox.publicUrl)
  const domain = { host, 'host without port': hostname, another: 'dashboard.example' }[message.domain]
  const time = (at: number) => new Date(world.began + at).toISOString()
  const text = [
    `${domain} wants you to sign in with your Ethereum account:`,
    walletOf(world, message.wallet).address,
    '',
    'Sign in.',
    '',
    `URI: ${world.sandbox.publicUrl}/auth/${message.uri}`,
    `Version: ${message.version}`,
    `Chain ID: ${message.chainId}`,
    `Nonce: ${world.prefix}${message.nonce}`,
    `Issued At: ${time(message.issuedAt)}`,
    `Expiration Time: ${time(message.expiresAt)}`,
  ].join('\n')
  const signature = await walletOf(world, message.signer).signMessage({ message: text })
  const signed = { message, text, signature }
  world.signed.push(signed)
  return signed
}

type ModelStep = fc.AsyncCommand<Model, ModelRun>

/** A command does the same to the sandbox and to the model, and compares their answers. */
export const modelStep = <Given>(
  name: string,
  given: fc.Arbitrary<Given>,
  run: (model: Model, world: ModelRun, given: Given) => Promise<void>,
): fc.Arbitrary<ModelStep> =>
  given.map((chosen) => ({
    check: () => true,
    toString: () => `${name} ${JSON.stringify(chosen)}`,
    run: (model, world) => run(model, world, chosen),
  }))

/** The choice is mostly the first existing one, so that more happens to it, or one that does not exist. */
export const anyOf = fc.oneof(
  { weight: 12, arbitrary: fc.nat({ max: 1 }) },
  { weight: 4, arbitrary: fc.nat({ max: 7 }) },
  { weight: 1, arbitrary: fc.constant('unknown' as const) },
)

export const pick = <Item>(items: readonly Item[], choice: number | 'unknown'): Item | undefined =>
  choice === 'unknown' ? undefined : items[choice % items.length]

/** The value comes once in `times`, and otherwise undefined. */
export const oneIn = <Value>(times: number, arbitrary: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: times - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })
