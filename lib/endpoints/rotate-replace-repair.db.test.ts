import crypto from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type OwnKeyCheck, openOwnKeyCheck } from '#lib/deliveries/ingest/own-key-check.ts'
import { receiverUrl } from '#lib/platform/addresses/public-address.ts'
import { newHolder } from '#lib/platform/db/lease.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { env } from '#lib/platform/env.ts'
import { setKeyAgreement } from '#lib/platform/keys/agree-on-keys.ts'
import { secretDigester } from '#lib/platform/keys/digests-and-seals.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { serviceClient as connection } from '#lib/service/service-client.ts'
import {
  listWebhookEndpoints as listAtService,
  updateWebhookEndpoint,
} from '#lib/service/webhook-endpoints.ts'
import {
  admin,
  atService,
  audited,
  browser,
  createElsewhere,
  createHere,
  deleting,
  elsewhere,
  later,
  letsIn,
  patching,
  posting,
  reason,
  repairOf,
  rotating,
  stateOf,
} from '../../test/endpoints.ts'
import { startService, type TestService } from '../../test/service.ts'
import { changeEndpoint, setStatus } from './change-endpoint.ts'
import { withEndpointLock } from './endpoint-command.ts'
import { findEndpoint, listEndpoints } from './endpoints.ts'
import { fetchNewSecret, repairEndpoint } from './repair-endpoint.ts'
import { deleteEndpoint, finishReplacement, replaceEndpoint } from './replace-endpoint.ts'
import { confirmSecret, rotateSecret } from './rotate-secret.ts'
import { reconcile } from './secret-handoff-store.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

describe('rotating', () => {
  it('here: the new secret lets deliveries in, the old one does not', async () => {
    const { endpointUuid, receiverId } = await createHere()
    const before = (await atService(service, { uuid: endpointUuid }))?.signing_secret
    expect(await rotateSecret(admin, { endpointUuid, reason }, browser)).toEqual({
      endpointUuid,
      signingSecret: null,
    })
    expect((await atService(service, { uuid: endpointUuid }))?.signing_secret).not.toBe(before)
    expect(await letsIn(service, receiverId, endpointUuid)).toBe(true)
    expect(await audited(endpointUuid)).toMatchObject([
      { action: 'endpoint.rotate-secret', outcome: 'done', reason, actor: admin.id },
    ])
  })

  it('elsewhere: the new secret is shown once', async () => {
    const { endpointUuid } = await createElsewhere()
    const { signingSecret } = await rotateSecret(admin, { endpointUuid, reason }, browser)
    expect(signingSecret).toBe((await atService(service, { uuid: endpointUuid }))?.signing_secret)
  })

  it('stays rotating after a lost answer until it is repaired', async () => {
    const { endpointUuid, receiverId } = await createHere()
    service.loseAnswer(rotating)
    await expect(rotateSecret(admin, { endpointUuid, reason }, browser)).rejects.toThrow(
      'The secret may have been rotated, and the new one was lost.',
    )
    expect(await stateOf(receiverId)).toBe('rotating')
    expect((await audited(endpointUuid)).map(({ outcome }) => outcome)).toEqual(['unsure'])
    await later()
    expect(await repairOf(endpointUuid)).toBe('no-secret')
    service.loseAnswer(rotating)
    await expect(repairEndpoint(admin, { endpointUuid, reason }, browser)).rejects.toThrow(Refused)
    expect(await stateOf(receiverId)).toBe('rotating')
    await repairEndpoint(admin, { endpointUuid, reason }, browser)
    expect(await letsIn(service, receiverId, endpointUuid)).toBe(true)
  })

  it('leaves everything unchanged when the service surely refused', async () => {
    const { endpointUuid, receiverId } = await createHere()
    service.answerWith(429, rotating)
    await expect(rotateSecret(admin, { endpointUuid, reason }, browser)).rejects.toThrow(Refused)
    expect(await letsIn(service, receiverId, endpointUuid)).toBe(true)
  })

  it('runs one rotation at a time', async () => {
    const { endpointUuid, receiverId } = await createHere()
    await withEndpointLock([endpointUuid], async () => {
      await expect(rotateSecret(admin, { endpointUuid, reason }, browser)).rejects.toThrow(
        'being changed right now',
      )
    })
    const all = await Promise.allSettled(
      Array.from({ length: 4 }, () => rotateSecret(admin, { endpointUuid, reason }, browser)),
    )
    expect(all.some(({ status }) => status === 'fulfilled')).toBe(true)
    expect(await letsIn(service, receiverId, endpointUuid)).toBe(true)
  })
})

it('only the secret that was shown last can be confirmed', async () => {
  const { endpointUuid } = await createElsewhere()
  const shownAt = async () => (await findEndpoint(admin, endpointUuid))?.shownAt ?? undefined
  const seen = await shownAt()
  await rotateSecret(admin, { endpointUuid, reason }, browser)
  await expect(confirmSecret(admin, { endpointUuid, seen }, browser)).rejects.toThrow(
    'Somebody else has changed',
  )
  await confirmSecret(admin, { endpointUuid, seen: await shownAt() }, browser)
  expect(await shownAt()).toBeUndefined()
})

/** Somebody else changes the url. */
const pointThere = (endpointUuid: string, url: string) =>
  updateWebhookEndpoint(connection(), endpointUuid, { url })

describe('with a key that is not the one of the database', () => {
  let check: OwnKeyCheck
  beforeAll(async () => {
    await pool().query(`INSERT INTO setting (key, value) VALUES ('digest-key:k1', '"of another key"')`)
    check = openOwnKeyCheck(pool(), secretDigester(env().keys), newHolder(), setKeyAgreement)
  })
  afterAll(async () => {
    await check.close()
    await pool().query(`DELETE FROM setting WHERE key = 'digest-key:k1'`)
    globalThis.rampartKeyAgreement = undefined
  })

  it('no secret is asked for that could not be kept', async () => {
    const here = await createHere()
    const { endpointUuid: there } = await createElsewhere()
    const receiverId = crypto.randomUUID()
    const held = await atService(service, { uuid: here.endpointUuid })
    await check.check()
    const { endpointUuid } = here
    const asked = service.seen.length
    for (const begin of [
      () => createHere({ receiverId }),
      () => rotateSecret(admin, { endpointUuid, reason }, browser),
      () => repairEndpoint(admin, { endpointUuid, reason }, browser),
      () =>
        changeEndpoint(
          admin,
          { to: 'here', endpointUuid: there, subscribedEvents: ['KYC'], reason },
          browser,
        ),
    ])
      await expect(begin()).rejects.toThrow('The key of this server (k1) is not the one of this database.')
    expect(service.seen.slice(asked).filter((route) => !route.startsWith('GET '))).toEqual([])
    expect(await atService(service, { uuid: endpointUuid })).toEqual(held)
    expect(await stateOf(here.receiverId)).toBe('active')
    expect(await stateOf(receiverId)).toBeUndefined()
  })
})

describe('replacing with overlap', () => {
  const deleteThere = (endpointUuid: string) =>
    fetch(`${service.baseUrl}/merchant/webhook-endpoints/${endpointUuid}`, {
      method: 'DELETE',
      headers: { authorization: service.apiKey },
    })
  const replace = (endpointUuid: string, url = elsewhere()) =>
    replaceEndpoint(admin, { endpointUuid, url, reason }, browser)
  const finish = (endpointUuid: string) => finishReplacement(admin, { endpointUuid, reason }, browser)

  it('makes a second endpoint like the first, and deletes the first when the second is deployed', async () => {
    const { endpointUuid: old, url } = await createElsewhere()
    const second = await replace(old, url)
    expect(second.signingSecret).toBe(
      (await atService(service, { uuid: second.endpointUuid }))?.signing_secret,
    )
    expect(await findEndpoint(admin, old)).toMatchObject({ replacedBy: second.endpointUuid, repair: null })
    expect(await findEndpoint(admin, second.endpointUuid)).toMatchObject({
      url,
      description: 'There',
      subscribedEvents: ['KYC'],
      replaces: old,
      shownAt: expect.any(String),
      repair: null,
    })
    await finish(second.endpointUuid)
    expect(await findEndpoint(admin, old)).toBeNull()
    expect(await findEndpoint(admin, second.endpointUuid)).toMatchObject({ replaces: null, shownAt: null })
    await expect(finish(second.endpointUuid)).rejects.toThrow('This endpoint replaces no other.')
  })

  it('deletes nothing when somebody else has rotated the secret that is confirmed', async () => {
    const { endpointUuid: old } = await createElsewhere()
    const { endpointUuid } = await replace(old)
    const shownAt = async () => (await findEndpoint(admin, endpointUuid))?.shownAt ?? undefined
    const seen = await shownAt()
    await rotateSecret(admin, { endpointUuid, reason }, browser)
    await expect(finishReplacement(admin, { endpointUuid, reason, seen }, browser)).rejects.toThrow(
      'Somebody else has changed this meanwhile.',
    )
    expect(await findEndpoint(admin, old)).toMatchObject({ replacedBy: endpointUuid })
    await finishReplacement(admin, { endpointUuid, reason, seen: await shownAt() }, browser)
    expect(await findEndpoint(admin, old)).toBeNull()
  })

  it('deletes nothing unless the second endpoint delivers and the first one does elsewhere', async () => {
    const { endpointUuid: old } = await createElsewhere()
    const { endpointUuid } = await replace(old)
    const change = (uuid: string, status: 'active' | 'disabled') =>
      setStatus(admin, { endpointUuid: uuid, status, reason }, browser)
    const isRefused = async () => {
      await expect(finish(endpointUuid)).rejects.toThrow('Somebody else has changed this meanwhile.')
      expect(await findEndpoint(admin, old)).toMatchObject({ replacedBy: endpointUuid })
      expect(await findEndpoint(admin, endpointUuid)).toMatchObject({ shownAt: expect.any(String) })
    }
    await change(endpointUuid, 'disabled')
    await isRefused()
    await change(endpointUuid, 'active')
    service.answerWith(429, deleting)
    await expect(finish(endpointUuid)).rejects.toThrow('The endpoint was not deleted.')
    expect(await findEndpoint(admin, endpointUuid)).toMatchObject({ shownAt: expect.any(String) })
    await pointThere(old, receiverUrl(crypto.randomUUID()))
    await isRefused()
    await pointThere(old, elsewhere())
    await deleteThere(endpointUuid)
    await expect(finish(endpointUuid)).rejects.toThrow('Somebody else has changed this meanwhile.')
    expect(await findEndpoint(admin, old)).not.toBeNull()
  })

  const here = { to: 'here', subscribedEvents: ['KYC'] as ['KYC'], reason } as const
  it.each([
    ['is pointed here', (endpointUuid: string) => changeEndpoint(admin, { ...here, endpointUuid }, browser)],
    [
      'is repaired, as its address was an earlier one of ours',
      async (endpointUuid: string) => {
        const id = crypto.randomUUID()
        await prisma().receiver.create({ data: { id, endpointUuid, state: 'active' } })
        await pointThere(endpointUuid, `https://old.example/api/webhooks/${id}`)
        await repairEndpoint(admin, { endpointUuid, reason }, browser)
      },
    ],
  ])(
    'ends when the first endpoint %s: the second one stays, and its secret is confirmed',
    async (_how, come) => {
      const { endpointUuid: old } = await createElsewhere()
      const { endpointUuid } = await replace(old)
      await come(old)
      expect(await findEndpoint(admin, old)).toMatchObject({ ours: true, repair: null, replacedBy: null })
      await expect(finish(endpointUuid)).rejects.toThrow('This endpoint replaces no other.')
      await confirmSecret(admin, { endpointUuid }, browser)
      expect(await findEndpoint(admin, endpointUuid)).toMatchObject({ shownAt: null, repair: null })
    },
  )

  it('also ends when the first one is pointed here after its deletion failed', async () => {
    const { endpointUuid: old } = await createElsewhere()
    const { endpointUuid } = await replace(old)
    service.answerWith(500, deleting, 2)
    await expect(finish(endpointUuid)).rejects.toThrow('may have been deleted')
    expect(await repairOf(endpointUuid)).toBe('half-replaced')
    await changeEndpoint(admin, { ...here, endpointUuid: old }, browser)
    expect(await repairOf(endpointUuid)).toBeNull()
    await confirmSecret(admin, { endpointUuid }, browser)
  })

  it('is finished when the first endpoint is gone already', async () => {
    const { endpointUuid: old } = await createElsewhere()
    const { endpointUuid } = await replace(old)
    await deleteThere(old)
    await finish(endpointUuid)
    expect(await findEndpoint(admin, endpointUuid)).toMatchObject({ replaces: null, shownAt: null })
  })

  it('starts only once, is refused for an endpoint here, and is cancelled by deleting the second endpoint', async () => {
    const { endpointUuid: old } = await createElsewhere()
    const second = await replace(old)
    await expect(replace(old)).rejects.toThrow('This endpoint is being replaced already.')
    await deleteEndpoint(admin, { endpointUuid: second.endpointUuid, reason }, browser)
    expect(await findEndpoint(admin, old)).toMatchObject({ replacedBy: null, repair: null })
    await replace(old)
    const { endpointUuid: ours } = await createHere()
    await expect(replace(ours)).rejects.toThrow('This endpoint delivers to this dashboard.')
  })

  it('deletes nothing while nobody has seen the new secret', async () => {
    const { endpointUuid: old } = await createElsewhere()
    service.loseAnswer(posting)
    await expect(replace(old)).rejects.toThrow(Refused)
    await reconcile(await listAtService(connection()), new Date())
    const { uuid = '' } = (await listEndpoints(admin)).find(({ replaces }) => replaces === old) ?? {}
    expect(await repairOf(uuid)).toBe('not-seen')
    await expect(finish(uuid)).rejects.toThrow('Nobody has seen the secret of this endpoint.')
    await rotateSecret(admin, { endpointUuid: uuid, reason }, browser)
    await finish(uuid)
    expect(await findEndpoint(admin, old)).toBeNull()
  })
})

describe('a second endpoint at the same address, made elsewhere,', () => {
  /** The first endpoint is ours. */
  async function createTwins(origin = '') {
    const first = await createHere()
    const url = new URL(
      new URL(receiverUrl(first.receiverId)).pathname,
      origin || receiverUrl(first.receiverId),
    )
    const made = await fetch(`${service.baseUrl}/merchant/webhook-endpoints`, {
      method: 'POST',
      headers: { authorization: service.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ url, description: 'Twin' }),
    })
    return { first, twin: z.object({ uuid: z.string() }).parse(await made.json()).uuid }
  }
  type First = Awaited<ReturnType<typeof createHere>>
  const letsFirstIn = ({ receiverId, endpointUuid }: First) => letsIn(service, receiverId, endpointUuid)

  async function hasItsOwn(twin: string, first: First) {
    const id = (await findEndpoint(admin, twin))?.receiver?.id ?? ''
    expect(id).not.toBe(first.receiverId)
    expect(await letsIn(service, id, twin)).toBe(true)
    expect(await letsFirstIn(first)).toBe(true)
  }

  it('gets an address of its own when it is repaired', async () => {
    const { first, twin } = await createTwins()
    expect(await repairOf(twin)).toBe('no-secret')
    await repairEndpoint(admin, { endpointUuid: twin, reason }, browser)
    await hasItsOwn(twin, first)
  })

  it.each(['', 'https://old.example'])('gets one when its secret is rotated, from %s', async (origin) => {
    const { first, twin } = await createTwins(origin)
    await rotateSecret(admin, { endpointUuid: twin, reason }, browser)
    await hasItsOwn(twin, first)
  })

  it('is not called unchanged when it got an address and no secret', async () => {
    const { first, twin } = await createTwins()
    const form = { endpointUuid: twin, reason }
    for (const change of [rotateSecret, repairEndpoint]) {
      service.answerWith(429, patching)
      await expect(change(admin, form, browser)).rejects.toThrow('The endpoint was not changed.')
      expect((await audited(twin)).at(-1)?.outcome).toBe('failed')
    }
    service.answerWith(429, rotating)
    await expect(rotateSecret(admin, form, browser)).rejects.toThrow('It points here now')
    expect((await audited(twin)).at(-1)?.outcome).toBe('unsure')
    await repairEndpoint(admin, form, browser)
    await hasItsOwn(twin, first)
  })

  it('leaves the first one alone when it is pointed elsewhere, and the first closes its own', async () => {
    const { first, twin } = await createTwins()
    const form = { to: 'elsewhere', subscribedEvents: null, reason } as const
    await changeEndpoint(admin, { ...form, url: elsewhere(), endpointUuid: twin }, browser)
    expect(await letsFirstIn(first)).toBe(true)
    await changeEndpoint(admin, { ...form, url: elsewhere(), endpointUuid: first.endpointUuid }, browser)
    expect(await stateOf(first.receiverId)).toBe('closed')
  })

  it('leaves the first one alone when it is deleted', async () => {
    const { first, twin } = await createTwins()
    await deleteEndpoint(admin, { endpointUuid: twin, reason }, browser)
    expect(await letsFirstIn(first)).toBe(true)
  })

  it('cannot take its row, whoever tries', async () => {
    const { first, twin } = await createTwins()
    await expect(fetchNewSecret(first.receiverId, twin)).rejects.toThrow('Somebody else has changed')
    expect(await letsFirstIn(first)).toBe(true)
    await expect(fetchNewSecret(first.receiverId, first.endpointUuid)).resolves.toBeUndefined()
    expect(await letsFirstIn(first)).toBe(true)
  })
})

describe('repairing', () => {
  const pointAtOldAddress = (endpointUuid: string, receiverId: string) =>
    pointThere(endpointUuid, `https://old.example/api/webhooks/${receiverId}`)

  it('is offered when deliveries carry another secret than the known one', async () => {
    const { endpointUuid, receiverId } = await createHere()
    const refusal = { receiverId, minute: new Date(), why: 'wrong-secret', count: 1, lastAt: new Date() }
    await prisma().refusal.create({ data: refusal })
    expect(await repairOf(endpointUuid)).toBeNull()
    const rotatedAt = new Date(Date.now() - 120_000)
    await prisma().receiver.update({ where: { id: receiverId }, data: { updatedAt: rotatedAt } })
    expect(await repairOf(endpointUuid)).toBe('wrong-secret')
    await repairEndpoint(admin, { endpointUuid, reason }, browser)
    expect(await repairOf(endpointUuid)).toBeNull()
    expect(await letsIn(service, receiverId, endpointUuid)).toBe(true)
  })

  it('updates an address from before the public one changed, and keeps its secret', async () => {
    const { endpointUuid, receiverId } = await createHere()
    const held = await atService(service, { uuid: endpointUuid })
    await pointAtOldAddress(endpointUuid, receiverId)
    expect(await findEndpoint(admin, endpointUuid)).toMatchObject({ ours: false, repair: 'other-address' })
    await repairEndpoint(admin, { endpointUuid, reason }, browser)
    const now = await atService(service, { uuid: endpointUuid })
    expect(now).toMatchObject({ url: receiverUrl(receiverId), signing_secret: held?.signing_secret })
  })

  it('of an earlier address is told when the service then refuses its secret', async () => {
    const { endpointUuid, receiverId } = await createHere()
    await pointAtOldAddress(endpointUuid, receiverId)
    const data = { state: 'rotating', secretDigest: null }
    await prisma().receiver.update({ where: { id: receiverId }, data })
    const repair = () => repairEndpoint(admin, { endpointUuid, reason }, browser)
    const outcome = async () => (await audited(endpointUuid)).at(-1)?.outcome
    service.answerWith(429, patching)
    await expect(repair()).rejects.toThrow('The endpoint was not changed.')
    expect(await outcome()).toBe('failed')
    service.loseAnswer(patching)
    await expect(repair()).rejects.toThrow('The endpoint may have been changed all the same.')
    expect(await outcome()).toBe('unsure')
    await pointAtOldAddress(endpointUuid, receiverId)
    service.answerWith(429, rotating)
    await expect(repair()).rejects.toThrow('It points here now')
    expect(await outcome()).toBe('unsure')
    await repair()
    expect(await letsIn(service, receiverId, endpointUuid)).toBe(true)
  })

  it('does not repair an endpoint that was never ours', async () => {
    const { endpointUuid } = await createElsewhere({
      url: `https://other.example/api/webhooks/${crypto.randomUUID()}`,
    })
    await expect(repairEndpoint(admin, { endpointUuid, reason }, browser)).rejects.toThrow(
      'This endpoint delivers elsewhere.',
    )
  })
})
