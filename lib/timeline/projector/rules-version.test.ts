import crypto from 'node:crypto'
import { expect, test } from 'vitest'
import { parseSubjectId, subjectId } from '#lib/deliveries/rules/subject.ts'
import { start } from '../../../test/sample-deliveries.ts'
import { type DeliveryFact, rulesVersion } from '../rules/fold.ts'
import { readDelivery } from './bodies.ts'
import { type NewDelivery, nothingKnown, projectSubject } from './project-subject.ts'

/**
 * The digests are those of the sample's rows under each version of the rules. They include the names of fields
 * and of reasons; versions 1 to 4 were recorded under other names, and 1 to 15 from a sample without transactions that
 * only a check has named.
 */
const rowsBy: Record<number, string> = {
  1: 'bbe84c92e16174dc7d909fdde67d7dbbcf522f4350f5595ab831a2f63db1ac90',
  2: '9197c199c2bc4a8513fca53ebea9f01705eb28f3c057e0f6e12a51a801544c80',
  3: 'b266530192ebd91ad3a40c0ee3e617e548c1eb73c7651c22b3183ec7afacb360',
  4: 'b1263d8e167797475279a9ea7d306e5a5cf04f1fcfd90ea775c9496c2eee838d',
  5: '813fb35bd23fbd64534a70f7bbad2415d34b002398a0426c35353e5d58b4b553',
  6: 'ae49800eafb13f2debc94490d2b100e871fa7201043115fbe062d6af3dc18a59',
  7: 'dc84973dc9e0a233a209d0efd3d8870c3c1c9ed4a80de0ce2bac384005eddd5c',
  8: '1f1665b9666d444dfabac298d4fae4c9edae3af1a0adbb4b15fb65e3101ad6ec',
  9: '872d0cd22a283c1246b1c35f7d03089b5cd996eaee0f61a50818b2abbfa65b45',
  10: '2b10f23e4caf0aba5f2067c52f4712118dbf5e971bd8bf862c03ec1e57f19332',
  11: '81a4c88f45f3bc8e3b93712728e874a4ab6cb5dc8bfb2ebb56e1eb2d18c86da9',
  12: 'f86e3379547cd845a843b6df588cb60a2878bc4b448d926485290b4d06914a77',
  13: '81881b2221696522236c4b691e31c9ebf1276545805191568aff080b87af21c5',
  14: 'e350ad74cc67f97d5ebe29b9f6a244a7f575cb17d159b2e453d471303cbb64e8',
  15: '017b836293067c634b64d64e600a8c417f7aacb8621c3d32c1413d8c9b821692',
  16: 'e349d6e6ea4f335e4625f99a39d81ea2a7bfa34714d0a190234db589f6369b20',
  17: '6c8ff6d02157f7adcb12c2924288e10a0dd3ba3b0db28b348a60b274806e01a9',
}

test('changed rows come with a raised rules version', () => {
  // When the rows differ, `rulesVersion` must be raised and its line added above: databases then follow by themselves.
  expect(rowsBy[rulesVersion]).toBe(crypto.hash('sha256', JSON.stringify(rowsOf(sample(4_000)))))
  expect(Math.max(...Object.keys(rowsBy).map(Number))).toBe(rulesVersion)
})

function rowsOf(deliveries: readonly Delivery[]) {
  const bySubject = Map.groupBy(deliveries, ({ subject }) => subject)
  return [...bySubject].map(([id, newDeliveries]) => {
    const subject = parseSubjectId(id)
    if (!subject) throw new Error(`No subject: ${id}`)
    return projectSubject(subject, nothingKnown, newDeliveries, new Set(), true).changes
  })
}

interface Delivery extends NewDelivery {
  readonly subject: string
}

const nothing = {
  otherReceivers: 0,
  offPeriods: [],
  refusedAt: [],
  earliestAttempt: null,
} as const

/**
 * The sample has deliveries of every kind, with repetitions, out of order, hours and seconds apart, the same in every run.
 */
function sample(count: number): Delivery[] {
  const next = random()
  const pick = <T>(from: readonly T[]): T => {
    const [first] = from
    const picked = from[next(from.length)] ?? first
    if (picked === undefined) throw new Error('Nothing to pick from')
    return picked
  }
  const bodies = Array.from({ length: count / 8 }, (_, n) => bodyOf(pick, Math.floor(n / 10)))
  let receivedAt = start
  let said = ''
  return Array.from({ length: count }, (_, n) => {
    receivedAt += pick([0, 40, 900, 2_900, 3_500, 12_000, 66_000, 700_000])
    if (n === 0 || next(2) === 0) said = pick(bodies.slice(Math.max(0, n / 8 - 30), n / 8 + 1))
    const body = Buffer.from(said)
    const { reading, subject } = readDelivery(body)
    const fact: DeliveryFact = {
      id: `delivery-${String(n).padStart(6, '0')}`,
      order: BigInt(n),
      receivedAt,
      receiver: pick(['r1', 'r2']),
      fingerprint: reading.fingerprint,
      answer: pick(['sure', 'sure', 'sure', 'unsure']),
      ...pick([
        {},
        nothing,
        { ...nothing, otherReceivers: 1 },
        { ...nothing, earliestAttempt: receivedAt - 900_000 },
      ]),
    }
    return { fact, body, reading, subject: subjectId(subject) }
  })
}

function bodyOf(pick: <T>(from: readonly T[]) => T, about: number): string {
  const steps = [
    'PENDING',
    'IN_PROGRESS',
    'ON_HOLD',
    'CRYPTO_TRANSFER_ISSUED',
    'SUCCESS',
    'FAILED',
    'REFUNDED',
    'NEW',
  ]
  const status = pick(['WAITING_CREATION', 'PENDING', 'CHECK_COMPLETED', 'ACTIVE', 'DISABLED', 'NEW'])
  const uuid = `C0FFEE00-0000-4000-8000-00000000${1000 + about}`
  const account = {
    accountDetails: {
      iban: `PT50 ${about}`,
      accountNumber: about % 2 === 0 ? `00${about}` : 31_926_819 + about,
      currency: 'EUR',
    },
  }
  const money = {
    amountFiat: pick([4.76, 100, 1e21, '255.87', '255,88']),
    amountCrypto: pick([5, 0.000001]),
    ...pick([{}, { fees: 1.1, limit: 50, amountRefunded: 3 }]),
    ...pick([
      {},
      { walletAddress: `0xAB${about}`, transactionHash: `0xDE${about}`, sendingAddress: `0xCD${about}` },
    ]),
    ...pick([{}, { senderDetails: { senderName: 'Ana', ...account } }, { beneficiaryDetails: account }]),
  }
  const transaction = {
    transactionUuid: `T-${about}`,
    currencyFiat: 'EUR',
    currencyCrypto: 'USDC',
    chain: 'POLYGON',
  }
  const direction = pick(['fiatToCrypto', 'cryptoToFiat'])
  return pick([
    ...Array.from({ length: 6 }, () =>
      JSON.stringify({
        type: direction,
        subType: pick(steps),
        uuid,
        data: { ...transaction, ...money, direction, status },
      }),
    ),
    JSON.stringify({ type: 'SOMETHING_NEW', uuid, data: { transactionUuid: `T-${about}`, direction } }),
    JSON.stringify({
      type: 'unblockBankAccount',
      uuid,
      data: { uuid: `A-${about}`, iban: `PT50 ${about}`, status },
    }),
    JSON.stringify({
      type: 'linkBankAccount',
      subType: 'statusUpdate',
      uuid,
      data: { uuid: `A-${about}`, status },
    }),
    JSON.stringify({ type: 'KYC', subType: 'statusUpdate', uuid, data: { status } }),
    JSON.stringify({ type: 'AML', uuid, data: { transactionUuid: `N-${about}`, direction, status } }),
    '{"type":"KYC"}',
    'no json',
    '[]',
  ])
}

/**
 * The generator gives the same numbers in every run, below the given limit: an LCG with the constants of Numerical Recipes.
 */
function random() {
  let state = 42
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
