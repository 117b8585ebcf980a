import assert from 'node:assert/strict'
import { type Check, inOperations } from '../kit/check.ts'
import type { CheckContext } from '../kit/check-context.ts'
import { after, type MessageParts } from '../kit/message.ts'
import { assertRefused, assertStatus } from '../kit/shapes.ts'

/** §5.2 */
export const signInMessageChecks: Check[] = [
  inOperations('5.2-layout', [], async ({ createPerson, composeMessage, service }) => {
    const person = await createPerson()
    const arrangements: Record<string, (lines: string[]) => string[]> = {
      'URI after Version': (lines) => lines.toSpliced(5, 2, lines[6] ?? '', lines[5] ?? ''),
      'no blank line before the statement': (lines) => lines.toSpliced(2, 1),
      'no nonce': (lines) => lines.toSpliced(8, 1),
      'a second URI': (lines) => lines.toSpliced(6, 0, lines[5] ?? ''),
      'another first line': (lines) => ['Please sign in:', ...lines.slice(1)],
    }
    for (const [what, arrange] of Object.entries(arrangements)) {
      const message = arrange((await composeMessage(person)).split('\n')).join('\n')
      const signature = await person.wallet.signMessage({ message })
      assertRefused(await service.signInWithWallet(message, signature), what)
    }
    const message = await composeMessage(person)
    const signature = await person.wallet.signMessage({ message })
    assertStatus(await service.signInWithWallet(message, signature), 200, 'the lines in their order')
  }),

  inOperations('5.2-domain', [], async (world) => {
    const { host } = new URL(world.baseUrl)
    await accepts(world, { domain: host })
    await refuses(world, [
      { domain: 'merchant.example' },
      { domain: `${host}.example` },
      { domain: `sub.${host}` },
      { domain: `${new URL(world.baseUrl).hostname}:1` },
    ])
  }),

  inOperations('5.2-uri', [], async (world) => {
    const login = `${world.baseUrl}/auth/login`
    await accepts(world, { uri: login })
    await refuses(world, [
      { uri: `${world.baseUrl}/auth/otp/` },
      { uri: `${login}/` },
      { uri: `${login}?user=1` },
      { uri: new URL(world.baseUrl).origin },
      { uri: 'https://merchant.example/auth/login' },
    ])
  }),

  inOperations('5.2-address', [], async (world) => {
    const [person, other] = [await world.createPerson(), await world.createPerson()]
    assertStatus(await world.tryWallet(person), 200, 'the user’s own')
    assertStatus(await world.tryWallet(person, { address: other.wallet.address }), 401, 'another user’s')
    assertStatus(await world.tryWallet(world.stranger()), 401, 'nobody’s')
  }),

  inOperations('5.2-version', [], async (world) => {
    await accepts(world, { version: '1' })
    await refuses(world, [{ version: '2' }, { version: '0' }, { version: '' }])
  }),

  inOperations('5.2-chain-id', [], async (world) => {
    for (const chainId of ['1', '137', '8453']) await accepts(world, { chainId })
    await refuses(world, [{ chainId: 'polygon' }, { chainId: '1.5' }, { chainId: '' }])
  }),

  inOperations('5.2-nonce-alphanumeric', [], async (world) => {
    await accepts(world, {})
    await refuses(world, [{ nonce: 'with-dashes-in-it' }, { nonce: 'mit ümlaut und platz' }, { nonce: '' }])
  }),

  inOperations('5.2-nonce-never-reused', [], async ({ service, composeMessage, createPerson }) => {
    const person = await createPerson()
    const message = await composeMessage(person)
    const signature = await person.wallet.signMessage({ message })
    assertStatus(await service.signInWithWallet(message, signature), 200, 'the first use')
    assertStatus(await service.signInWithWallet(message, signature), 401, 'the second use')
  }),

  inOperations('5.2-issued-at', [], async (world) => {
    await accepts(world, {})
    await refuses(world, [{ issuedAt: 'yesterday' }, { issuedAt: '1700000000' }, { issuedAt: '' }])
  }),

  inOperations('5.2-expiration-time', [], async (world) => {
    const now = await world.now()
    await accepts(world, { expirationTime: after(now, 3_600) })
    await refuses(world, [
      { issuedAt: after(now, -7_200), expirationTime: after(now, -3_600) },
      { expirationTime: 'tomorrow' },
    ])
  }),

  inOperations('5.2-lifetime', [], livesTwoToFourHours),

  inOperations('5.2-statement', [], async (world) => {
    for (const statement of ['Sign in.', 'Any words: even those of a merchant, 24/7', 'Olá, "mundo" — 登录'])
      await accepts(world, { statement })
  }),

  inOperations('5.2-exact-message', [], async ({ service, composeMessage, createPerson }) => {
    const person = await createPerson()
    const message = await composeMessage(person)
    const signature = await person.wallet.signMessage({ message })
    for (const sent of [`${message}\n`, ` ${message}`, message.replace('Sign in', 'sign in')])
      assertRefused(await service.signInWithWallet(sent, signature), 'another string than the one signed')
    assert.notEqual(signature, await person.wallet.signMessage({ message: `${message}\n` }))
    assertStatus(await service.signInWithWallet(message, signature), 200, 'the string signed')
  }),
]

/** §5.2, §8 */
export async function livesTwoToFourHours(world: CheckContext) {
  const now = await world.now()
  for (const hours of [2, 3, 4])
    await accepts(world, { issuedAt: after(now, -1), expirationTime: after(now, hours * 3_600 - 1) })
}

async function accepts({ createPerson, tryWallet }: CheckContext, changes: Partial<MessageParts>) {
  assertStatus(await tryWallet(await createPerson(), changes), 200, `with ${describe(changes)}`)
}

/** ASSUMED: 401 or another 4xx; §5.2 says "rejected". */
async function refuses({ createPerson, tryWallet }: CheckContext, wrong: Partial<MessageParts>[]) {
  const person = await createPerson()
  for (const changes of wrong) assertRefused(await tryWallet(person, changes), `with ${describe(changes)}`)
}

const describe = (changes: Partial<MessageParts>) =>
  Object.entries(changes)
    .map(([part, value]) => `${part} "${value}"`)
    .join(' and ') || 'everything right'
