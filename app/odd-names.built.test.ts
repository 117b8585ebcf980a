import crypto from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Role, roles } from '#lib/access/rules/roles.ts'
import { addresses } from '../test/entries.ts'
import { type EveryRole, mayUse, startForEveryRole, uncompressed, withIds } from '../test/every-role.ts'
import { foldBodies } from '../test/fold-bodies.ts'
import { shareOf } from '../test/share.ts'

// A delivery or an address may contain a name that every object has. Each page shows it like any other text.

const names = Object.getOwnPropertyNames(Object.prototype)
const transactions = names.map((name) => ({ name, uuid: crypto.randomUUID() }))

let all: EveryRole
beforeAll(async () => {
  all = await startForEveryRole()
  await foldBodies(transactions.flatMap(oddBodies), Date.now() - 1_800_000, 0.1)
})
afterAll(() => all.stop())

const oddBodies = ({ name, uuid }: (typeof transactions)[number]) => {
  const person = crypto.randomUUID()
  const data = {
    transactionUuid: uuid,
    status: name,
    reason: name,
    direction: name,
    chain: name,
    currencyFiat: name,
    currencyCrypto: name,
    amountFiat: 5,
    [name]: name,
  }
  return [
    { type: 'fiatToCrypto', subType: name, uuid: person, data },
    {
      type: 'fiatToCrypto',
      subType: 'SUCCESS',
      uuid: person,
      data: { ...data, transactionUuid: crypto.randomUUID() },
    },
    { type: name, subType: name, uuid: person, data: { ...data, transactionUuid: crypto.randomUUID() } },
    ...['unblockBankAccount', 'KYC', 'KYB', 'AML'].map((type) => ({
      type,
      subType: name,
      uuid: crypto.randomUUID(),
      data: { uuid: crypto.randomUUID(), status: name, reason: name, currency: name },
    })),
  ]
}

const get = (role: Role, address: string) =>
  fetch(all.server.url + address, { headers: { ...uncompressed, cookie: all.cookieOf(role) } })

/** Some page reads each of these parameters from its address. */
const parameters = [
  'user',
  'step',
  'status',
  'state',
  'type',
  'subType',
  'flag',
  'flags',
  'endpoint',
  'direction',
  'reason',
  'currency',
  'chain',
  'since',
  'action',
  'outcome',
  'actor',
  'kind',
  'tab',
  'view',
  'list',
  'search',
  'language',
  'cursor',
  'before',
  'refused',
  'next',
  'again',
]

const pages = Object.entries(addresses)
  .filter(([file]) => file.endsWith('page.tsx'))
  .flatMap(([, [who, ...paths]]) => paths.map((address) => ({ who, address })))
  .map((page, nthPage) => ({ ...page, nthPage }))

test.each(pages)(
  '$address is shown with deliveries and parameters of such names',
  async ({ who, address, nthPage }) => {
    const path = withIds(address, all.things.ids)
    const expectShown = async (role: Role, query: string) => {
      const answer = await get(role, path + query)
      await answer.body?.cancel()
      expect([200, 404], `${role} ${path}${query}`).toContain(answer.status)
    }
    const mayOpen = roles.filter((one) => mayUse(one, who))
    for (const role of shareOf(mayOpen, nthPage % mayOpen.length)) await expectShown(role, '')
    if (!mayOpen.includes('admin')) return
    // The first is an object. The others are functions, with another one for each page.
    for (const name of shareOf(['__proto__', 'constructor', names[nthPage % names.length]], nthPage))
      await expectShown('admin', `?${parameters.map((one) => `${one}=${name}`).join('&')}&${name}=1`)
  },
)

test.each(transactions.map((one, nth) => ({ ...one, nth })))(
  'a transaction of step $name has its page, and so has who asks for it there',
  async ({ name, uuid, nth }) => {
    const odd = [
      `/transactions/${uuid}`,
      `/timeline/${name}`,
      `/${name}`,
      `/users/${name}`,
      `/api/events?type=${name}`,
      `/api/transactions?step=${name}&user=${name}`,
    ]
    for (const address of shareOf(odd, nth)) {
      const answer = await get('admin', address)
      await answer.body?.cancel()
      expect(answer.status, address).toBeLessThan(500)
    }
    expect((await get('support', `/transactions/${uuid}`)).status).toBe(200)
  },
)

test('no page failed on the way to its browser', () => {
  expect(all.server.printed()).not.toMatch(/Functions cannot be passed|"level":"error"/)
})
