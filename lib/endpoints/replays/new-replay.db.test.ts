import { expect, it } from 'vitest'
import { pool } from '#lib/platform/db/pool.ts'
import { json } from '../../../test/loopback-service.ts'
import {
  admin,
  bodyOf,
  ends,
  foldEverything,
  log,
  stateOf,
  taken,
  withReplays,
} from '../../../test/replays.ts'
import { readMissed } from './new-replay.ts'
import { maxFailuresInARow } from './run-replay.ts'

const replays = withReplays()

const off = { from: '2026-11-20T14:00:00.000Z', until: '2026-11-20T15:00:00.000Z' }
const span = { from: off.from, to: off.until, type: 'fiatToCrypto', first: 'yes' } as const

/** An endpoint at the receiver's address lacks these events, as far as known. */
const missed = (subscribedEvents: string[] | null = ['fiatToCrypto']) =>
  readMissed(admin, { url: replays.address(), subscribedEvents }, off)

/** Each transaction has one event; one more event has another type. */
async function happen(transactions: number) {
  const many = Array.from({ length: transactions }, (_, n) => bodyOf(n, `t-${n}`))
  await log([...many, '{"type":"KYC","subType":"x","uuid":"u-1","data":{}}'])
  await (await foldEverything()).stop()
}

it('events count as sent when a replay of all of them is done and nothing failed', async () => {
  await happen(2)
  expect(await missed()).toMatchObject({ count: 2, sent: null })
  replays.receiver.answers(taken)
  const id = await replays.send(span)
  await ends(id, 'done')
  expect(await missed()).toMatchObject({ count: 2, sent: { count: 2, replay: { id, state: 'done' } } })
  expect(await missed(null)).toMatchObject({ count: 3, sent: { count: 2 } })
})

it('events do not count as sent by a replay of another type, another time or to another address', async () => {
  await happen(1)
  replays.receiver.answers(taken)
  await ends(await replays.send({ ...span, type: 'KYC' }), 'done')
  await ends(await replays.send({ ...span, address: `${replays.address()}?other` }), 'done')
  expect(await missed()).toMatchObject({ count: 1, sent: null })
  expect(
    await readMissed(
      admin,
      { url: replays.address(), subscribedEvents: ['KYC'] },
      { ...off, from: '2026-11-20T14:00:05.000Z' },
    ),
  ).toMatchObject({ count: 0, sent: null })
})

it('an event that came before the time off is not missed, although it came again meanwhile', async () => {
  await happen(2)
  await log(['{"type":"KYC","subType":"x","uuid":"u-1","data":{}}', bodyOf(0, 't-0')])
  await (await foldEverything()).stop()
  const asked = { url: replays.address(), subscribedEvents: ['fiatToCrypto'] }
  expect(await readMissed(admin, asked, { ...off, from: '2026-11-20T14:00:01.000Z' })).toMatchObject({
    count: 1,
  })
})

it('counts the accepted events when a replay failed in part, and those of a later one', async () => {
  await happen(3)
  replays.receiver.answers(taken, json(503, {}), taken)
  const first = await replays.send(span)
  await ends(first, 'done')
  expect(await missed()).toMatchObject({ count: 3, sent: { count: 2, replay: { id: first, failed: 1 } } })
  replays.receiver.answers(taken)
  const second = await replays.send({ from: '', failedIn: first })
  await ends(second, 'done')
  expect(await missed()).toMatchObject({ count: 3, sent: { count: 3, replay: { id: second, failed: 0 } } })
})

it('shows that a replay gave up, or was stopped before its end', async () => {
  await happen(maxFailuresInARow)
  replays.receiver.answers(json(503, {}))
  const failing = await replays.send(span)
  await ends(failing, 'failing')
  expect(await missed()).toMatchObject({
    count: maxFailuresInARow,
    sent: { count: 0, replay: { id: failing, state: 'failing', failed: maxFailuresInARow } },
  })
  const { id } = await replays.made({ filter: span })
  await pool().query(`UPDATE replay SET state = 'stopped' WHERE id = $1`, [id])
  expect(await stateOf(id)).toBe('stopped')
  expect(await missed()).toMatchObject({ sent: { count: 0, replay: { id, state: 'stopped' } } })
})
