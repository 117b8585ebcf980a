import fc from 'fast-check'
import { z } from 'zod'
import { apiKey } from '../../sandbox/test/running.ts'
import { letTimePass } from './compare.ts'
import type { ExpectedOutcome, Model } from './model.ts'
import {
  anyOf,
  bindName,
  emailOf,
  expectAnswer,
  expectSame,
  type ModelRun,
  modelStep,
  momentOf,
  oneIn,
  pick,
  realValue,
  signMessage,
  walletOf,
  withNames,
} from './model-run.ts'
import * as users from './users.ts'

export const createUserStep = modelStep(
  'create a user',
  fc.record({
    email: fc.constantFrom('fresh', 'fresh', 'fresh', 'bouncing', 'taken', 'in another case'),
    wallet: fc.option(fc.nat({ max: 3 }), { nil: undefined }),
  }),
  async (model, world, given) => {
    const fresh = `u${model.users.length}@${given.email === 'bouncing' ? 'bounces.invalid' : 'demo.test'}`
    const latest = model.users.at(-1)?.email
    const email =
      (given.email === 'taken' && latest) ||
      (given.email === 'in another case' && latest?.toUpperCase()) ||
      fresh
    const wallet = given.wallet === undefined ? undefined : `wallet ${given.wallet}`
    const expected = users.createUserInModel(model, email, wallet)
    const answer = await world.sandbox.service('POST', '/user', {
      email: emailOf(world, email),
      first_name: 'Ana',
      last_name: 'Ruiz',
      country: 'ES',
      ...(wallet && { target_address: walletOf(world, wallet).address }),
    })
    if (expected.status === 201) bindName(world, `user ${model.users.length - 1}`, answer.body.user_uuid)
    expectAnswer(world, answer, expected)
  },
)

export const triggerCodeStep = modelStep(
  'trigger a code',
  fc.record({ user: anyOf }),
  async (model, world, given) => {
    await letTimePass(model, world, 1)
    const user = pick(model.users, given.user)
    const expected = users.triggerCodeInModel(model, user)
    const body = { user_uuid: realValue(world, user?.name) }
    expectAnswer(world, await world.sandbox.service('POST', '/auth/login', body), expected)
    if (!user) return
    const address = encodeURIComponent(emailOf(world, user.email))
    const mails = z
      .array(MailSchema)
      .parse((await world.sandbox.control('GET', `/mailbox?email=${address}`)).body)
    expectSame(
      'mailbox',
      mails.map((mail) => ({
        user: withNames(world, mail.user_uuid),
        sentAt: momentOf(world, mail.sent_at),
        bounced: mail.bounced,
      })),
      user.codes.map(({ sentAt }) => ({ user: user.name, sentAt, bounced: users.bounces(user) })),
    )
    const codes = mails.map(({ code }) => code)
    const known = world.codes.get(user.name) ?? []
    expectSame('older mails', codes.slice(0, known.length), known)
    world.codes.set(user.name, codes)
  },
)

const MailSchema = z.object({
  user_uuid: z.string(),
  code: z.string(),
  sent_at: z.string(),
  bounced: z.boolean(),
})

export const exchangeCodesStep = modelStep(
  'exchange codes',
  fc.record({
    user: anyOf,
    codes: fc.array(fc.constantFrom('newest', 'older', 'wrong'), { minLength: 1, maxLength: 3 }),
  }),
  async (model, world, given) => {
    const user = pick(model.users, given.user)
    const mailed = world.codes.get(user?.name ?? '') ?? []
    const wrong = ['000000', '000001', '000002'].find((guess) => !mailed.includes(guess)) ?? ''
    for (const kind of given.codes) {
      const code = { newest: mailed.at(-1), older: mailed.at(-2), wrong }[kind] ?? wrong
      const expected = users.exchangeCodeInModel(model, user, user?.codes[mailed.lastIndexOf(code)])
      const body = { user_uuid: realValue(world, user?.name), one_time_password: code }
      const answer = await world.sandbox.service('POST', '/auth/otp/', body)
      learnSession(model, world, expected, answer.body)
      expectAnswer(world, answer, expected)
    }
  },
)

function learnSession(
  model: Model,
  world: ModelRun,
  { status }: ExpectedOutcome,
  body: Record<string, unknown>,
) {
  if (status === 200) bindName(world, `session ${model.sessions.length - 1}`, body.service_session_id)
}

/** Each oddity makes a message wrong, or unusual and right. */
const oddities = {
  none: () => ({}),
  'the host without its port': () => ({ domain: 'host without port' }),
  'another domain': () => ({ domain: 'another' }),
  'another uri': () => ({ uri: 'another' }),
  'version 2': () => ({ version: '2' }),
  'another chain': () => ({ chainId: '8453' }),
  'no number for the chain': () => ({ chainId: 'polygon' }),
  'another signer': () => ({ signer: 'wallet 9' }),
  'issued 8 minutes ahead': (now) => ({ issuedAt: now + 480_000 }),
  'issued 4 minutes ahead': (now) => ({ issuedAt: now + 240_000 }),
  expired: (now) => ({ expiresAt: now - 1_000 }),
  'expiring soon': (now) => ({ expiresAt: now + 5_000 }),
  'valid for long': (now) => ({ expiresAt: now + 18_000_000 }),
} satisfies Record<string, (now: number) => Partial<users.ModelMessage>>

const oddityNames = Object.keys(oddities).filter((name): name is keyof typeof oddities => name in oddities)

export const signInWithWalletStep = modelStep(
  'sign in by wallet',
  fc.record({
    wallet: fc.nat({ max: 3 }),
    odd: fc.oneof(
      { weight: 2, arbitrary: fc.constant('none' as const) },
      { weight: 1, arbitrary: fc.constantFrom(...oddityNames) },
    ),
    nonceOf: oneIn(4, fc.nat({ max: 7 })),
  }),
  async (model, world, given) => {
    const earlier = given.nonceOf === undefined ? undefined : pick(world.signed, given.nonceOf)
    const message: users.ModelMessage = {
      domain: 'host',
      uri: 'login',
      version: '1',
      chainId: '137',
      nonce: earlier?.message.nonce ?? `n${world.signed.length}`,
      wallet: `wallet ${given.wallet}`,
      signer: `wallet ${given.wallet}`,
      issuedAt: model.now - 600_000,
      expiresAt: model.now + 10_800_000,
      ...oddities[given.odd](model.now),
    }
    await login(model, world, await signMessage(world, message))
  },
)

export const signInAgainStep = modelStep(
  'send a signed message again',
  fc.record({ message: fc.nat({ max: 7 }) }),
  async (model, world, given) => {
    const signed = pick(world.signed, given.message)
    if (signed) await login(model, world, signed)
  },
)

async function login(model: Model, world: ModelRun, signed: ModelRun['signed'][number]) {
  const expected = users.signInWithWalletInModel(model, signed.message)
  const { text, signature } = signed
  const answer = await world.sandbox.service('POST', '/auth/login', { message: text, signature })
  learnSession(model, world, expected, answer.body)
  expectAnswer(world, answer, expected)
}

const userScoped = fc.record({
  session: oneIn(2, anyOf),
  user: oneIn(
    2,
    fc.oneof({ weight: 8, arbitrary: anyOf }, { weight: 1, arbitrary: fc.constant('not a uuid' as const) }),
  ),
})

function credentialsOf(model: Model, { session, user }: Given<typeof userScoped>): users.Credentials {
  return {
    session: session === undefined ? undefined : (pick(model.sessions, session) ?? 'unknown'),
    user: user === undefined || user === 'not a uuid' ? user : (pick(model.users, user) ?? 'unknown'),
  }
}

type Given<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Value> ? Value : never

function headersOf(world: ModelRun, { session, user }: users.Credentials): Record<string, string> {
  const real = (thing: { name: string } | string) =>
    realValue(world, typeof thing === 'string' ? undefined : thing.name)
  return {
    ...(session && { 'service-session-id': real(session) }),
    ...(user && { 'user-uuid': user === 'not a uuid' ? user : real(user) }),
  }
}

export const readUserStep = modelStep('read a user', userScoped, async (model, world, given) => {
  const credentials = credentialsOf(model, given)
  const answer = await world.sandbox.service('GET', '/user', undefined, headersOf(world, credentials))
  const { uuid, email, target_address } = answer.body
  const body = { uuid, email, target_address }
  expectAnswer(world, { ...answer, body }, users.readUserInModel(model, credentials))
})

export const shareTokenStep = modelStep('share a token', userScoped, async (model, world, given) => {
  const credentials = credentialsOf(model, given)
  const path = '/user/kyc/applicant/share-token'
  const answer = await world.sandbox.service('POST', path, undefined, headersOf(world, credentials))
  expectAnswer(world, answer, users.shareTokenInModel(model, credentials))
})

/** The key is checked before anything else (§5.1). */
export const callWithWrongKeyStep = modelStep(
  'call with a wrong key',
  fc.constantFrom(
    { method: 'POST', path: '/user' },
    { method: 'POST', path: '/auth/login' },
    { method: 'GET', path: '/supported/countries' },
    { method: 'POST', path: '/merchant/webhook-endpoints' },
    { method: 'GET', path: '/merchant/webhook-endpoints' },
  ),
  async (_model, world, { method, path }) => {
    const headers = { Authorization: `Bearer ${apiKey}` }
    const body = method === 'POST' ? {} : undefined
    expectAnswer(world, await world.sandbox.service(method, path, body, headers), { status: 401 })
  },
)
