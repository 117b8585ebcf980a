import crypto from 'node:crypto'
import { expect, it } from 'vitest'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { NotAllowed } from '#lib/platform/refusals.ts'
import { callerWith } from '../../../test/callers.ts'
import { addReceiver } from '../../../test/ingest.ts'
import { json } from '../../../test/loopback-service.ts'
import { admin, bodyOf, ends, foldEverything, log, taken, withReplays } from '../../../test/replays.ts'
import { countMatchingDeliveries, listSources, readReplayFilter } from './new-replay.ts'
import { ReplayFilterSchema } from './replay-forms.ts'
import { selectForReplay } from './replay-store.ts'

const replays = withReplays()

it('sends the deliveries of each filter, and counts them beforehand', async () => {
  const [one, other] = [await addReceiver(pool()), await addReceiver(pool())]
  const endpoint = crypto.randomUUID()
  await pool().query('UPDATE receiver SET endpoint_uuid = $2 WHERE id = $1', [one.id, endpoint])
  const kyc = '{"type":"KYC","subType":"done","uuid":"U-2","data":{}}'
  const [first = '', second = ''] = await log([bodyOf(1), bodyOf(2, 'T-2'), kyc], one.id)
  await log([bodyOf(3, 't-3')], other.id)
  const projector = await foldEverything()
  await projector.stop()
  const { rows } = await pool().query<{ id: string }>(
    'SELECT event_id AS id FROM event_delivery WHERE delivery_id = $1',
    [second],
  )
  const filters: [Record<string, string>, number][] = [
    [{ type: 'fiatToCrypto' }, 3],
    [{ type: 'fiatToCrypto', endpoint }, 2],
    [{ type: 'fiatToCrypto,KYC' }, 4],
    [{ type: 'KYC,AML' }, 1],
    [{ step: 'done' }, 1],
    [{ user: 'u-2' }, 1],
    [{ transaction: 't-2' }, 1],
    [{ event: rows[0]?.id ?? '' }, 1],
    [{ delivery: first }, 1],
    [{ from: '2026-11-20T14:00:01Z' }, 2],
    [{ to: '2026-11-20T14:00:01' }, 2],
    [{ from: '2026-11-20T14:00:01Z', to: '2026-11-20T14:00:02Z', endpoint, type: 'fiatToCrypto' }, 1],
    [{ type: 'nothing' }, 0],
  ]
  for (const [filter, count] of filters) {
    expect([filter, (await countMatchingDeliveries(admin, ReplayFilterSchema.parse(filter)))?.count]).toEqual(
      [filter, count],
    )
  }
  // Nothing was chosen yet, as when an endpoint's page opened this one.
  for (const none of [{ from: '', type: '' }, { once: 'yes' }])
    expect(await countMatchingDeliveries(admin, ReplayFilterSchema.parse(none))).toBe(null)
  replays.receiver.answers(taken)
  await ends(await replays.send({ from: '', transaction: 'T-2' }), 'done')
  expect(replays.bodiesReceived()).toEqual([bodyOf(2, 'T-2')])
})

it('skips duplicates of what matches, and no event whose first delivery does not match or has left the log', async () => {
  const [one, other] = [await addReceiver(pool()), await addReceiver(pool())]
  const endpoint = crypto.randomUUID()
  await pool().query('UPDATE receiver SET endpoint_uuid = $2 WHERE id = $1', [one.id, endpoint])
  const [, gone = ''] = await log([bodyOf(1), bodyOf(2, 't-2')], other.id)
  await log([bodyOf(3, 't-3'), bodyOf(1), bodyOf(2, 't-2')], one.id)
  await log([bodyOf(3, 't-3')], other.id)
  const projector = await foldEverything()
  await projector.stop()
  const { rows } = await pool().query('SELECT deliveries FROM event')
  expect(rows).toEqual([{ deliveries: 2 }, { deliveries: 2 }, { deliveries: 2 }])
  await pool().query('DELETE FROM delivery WHERE id = $1', [gone])
  replays.receiver.answers(json(503, {}))
  const failedIn = await replays.send({ endpoint })
  await ends(failedIn, 'done')
  replays.receiver.answers(taken)
  const filters: [Record<string, string>, string[]][] = [
    [{ endpoint, once: 'yes' }, [bodyOf(3, 't-3'), bodyOf(1), bodyOf(2, 't-2')]],
    [{ from: '2026-11-20T14:00', once: 'yes' }, [bodyOf(1), bodyOf(3, 't-3'), bodyOf(2, 't-2')]],
    [{ failedIn, once: 'yes' }, [bodyOf(3, 't-3'), bodyOf(1), bodyOf(2, 't-2')]],
    [{ from: '2026-11-20T14:00:01', once: 'yes' }, [bodyOf(1), bodyOf(2, 't-2')]],
    [{ endpoint, first: 'yes' }, [bodyOf(3, 't-3')]],
  ]
  for (const [filter, bodies] of filters) {
    expect([filter, (await countMatchingDeliveries(admin, ReplayFilterSchema.parse(filter)))?.count]).toEqual(
      [filter, bodies.length],
    )
    const before = replays.bodiesReceived().length
    await ends(await replays.send({ from: '', ...filter }), 'done')
    expect(replays.bodiesReceived().slice(before)).toEqual(bodies)
  }
})

it('has too many deliveries when more match than are read to skip duplicates', async () => {
  for (let n = 0; n < 5; n++) await log([bodyOf(1)])
  const projector = await foldEverything()
  await projector.stop()
  const rowsOf = async (most: number) => {
    const { text, values } = selectForReplay({ once: 'yes' }, most)
    return (await pool().query(text, [...values])).rowCount
  }
  expect([await rowsOf(1), await rowsOf(2)]).toEqual([2, 1])
})

it('offers every endpoint that deliveries came through, also while the service does not give its name', async () => {
  const { id } = await addReceiver(pool())
  const uuid = crypto.randomUUID()
  await pool().query('UPDATE receiver SET endpoint_uuid = $2 WHERE id = $1', [id, uuid])
  expect(await listSources(admin)).toContainEqual({ uuid, name: null })
  await expect(listSources(callerWith('support'))).rejects.toThrow(NotAllowed)
})

it.each(['0000-01-01T00:00', '2026-13-01T00:00'])('%s is reported as no such time', async (from) => {
  expect(await readReplayFilter(admin, { type: 'KYC', from })).toEqual({
    filter: {},
    errors: { from: 'There is no such time.' },
  })
})

it('accepts a user by e-mail, and sends nothing when the directory does not have it', async () => {
  const userUuid = crypto.randomUUID()
  await prisma().person.create({
    data: { userUuid, email: 'Ana@example.com', emailKey: 'ana@example.com', source: 'import' },
  })
  const read = (user: string) => readReplayFilter(admin, { type: 'KYC', user })
  expect(await read(' ana@EXAMPLE.com')).toEqual({ filter: { type: 'KYC', user: userUuid }, errors: {} })
  expect(await read(userUuid)).toEqual({ filter: { type: 'KYC', user: userUuid }, errors: {} })
  expect(await read('nobody@example.com')).toEqual({
    filter: {},
    errors: { user: 'The directory knows nobody by this e-mail.' },
  })
  await expect(readReplayFilter(callerWith('support'), { user: 'ana@example.com' })).rejects.toThrow(
    NotAllowed,
  )
})
