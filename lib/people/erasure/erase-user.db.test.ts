import { expect, it, vi } from 'vitest'
import { readQueueState } from '#lib/deliveries/queue/read-queue-state.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { linkTo } from '#lib/search/search-link.ts'
import { rebuild } from '#lib/timeline/projector/rebuild.ts'
import { callerWith } from '../../../test/callers.ts'
import { withPersonDatabase } from '../../../test/person-database.ts'
import { digestOf } from '../../../test/projections.ts'
import { aPerson, bodiesOf, type TestPerson } from '../../../test/sample-people.ts'
import { beginErasure, runErasure } from './erase-user.ts'
import { acquireErasure, isFinished } from './erasure-store.ts'

const { pool, project, stopProjectors, deliver, folded, enter, known, dump, expectGone, erase } =
  withPersonDatabase()

it('runs beside fresh traffic and a rebuild of two projectors', async () => {
  await project()
  const [ana, bob] = [await known(), await known()]
  const end = new AbortController()
  const fresh: TestPerson[] = []
  const traffic = (async () => {
    for (let rounds = 0; rounds < 40 && !end.signal.aborted; rounds++) {
      const somebody = aPerson()
      fresh.push(somebody)
      await deliver([...bodiesOf(somebody), ...bodiesOf(ana)])
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  })()
  const rebuilding = rebuild(pool(), { signal: new AbortController().signal, onProgress: () => undefined })
  await erase(ana.userUuid)
  await rebuilding
  end.abort()
  await traffic
  await folded()
  await expectGone(ana)
  const text = await dump()
  for (const person of [bob, ...fresh]) expect(text).toContain(person.userUuid)
  const before = await digestOf(pool())
  await rebuild(pool(), { signal: new AbortController().signal, onProgress: () => undefined })
  expect(await digestOf(pool())).toBe(before)
}, 120_000)

it('ends although something arrives between all of its steps', async () => {
  const ana = await known()
  await pool().query(ARRIVING_TRIGGER)
  try {
    await erase(ana.userUuid)
    // Without a limit, the erasure would go on until nothing arrives any more.
    const { rows } = await pool().query('SELECT last_value < 30 AS ended FROM arrivals')
    expect(rows).toEqual([{ ended: true }])
  } finally {
    await pool().query('DROP FUNCTION arrive() CASCADE; DROP SEQUENCE arrivals')
    await pool().query("DELETE FROM event WHERE subject_id = 'unknown:arrived'")
  }
  await expectGone(ana)
})

/** The trigger adds a delivery and an event after each step, a hundred times. */
const ARRIVING_TRIGGER = `
  CREATE SEQUENCE arrivals;
  CREATE FUNCTION arrive() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE arrived event; BEGIN
    IF nextval('arrivals') < 100 THEN
      INSERT INTO delivery (id, receiver_id, received_at, body) SELECT uuidv7(), receiver_id, now(), '{}' FROM delivery LIMIT 1;
      SELECT * INTO arrived FROM event LIMIT 1;
      arrived.id := uuidv7();
      arrived.subject_id := 'unknown:arrived';
      arrived.entity_uuid := NULL;
      INSERT INTO event SELECT arrived.*;
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER arrive AFTER UPDATE ON erasure FOR EACH ROW EXECUTE FUNCTION arrive()`

it('leaves no data in deliveries that arrive while nobody folds, nor in later dead letters', async () => {
  const ana = await known()
  await erase(ana.userUuid)
  await stopProjectors()
  const news = { type: 'KYC', uuid: ana.userUuid, data: { status: 'SUSPENDED', name: ana.lastName } }
  const [stored, dead] = await deliver([news, { ...news, subType: 'cannot be folded' }])
  expect(await dump()).toContain(ana.lastName.toLowerCase())
  await pool().query(REFUSING_TRIGGER)
  try {
    await project()
    await expect.poll(async () => (await readQueueState(pool())).waiting, { timeout: 20_000 }).toBe(0)
  } finally {
    await pool().query('DROP FUNCTION refuse() CASCADE')
  }
  const { rows } = await pool().query(
    'SELECT delivery_id FROM delivery_pending WHERE dead_lettered_at IS NOT NULL AND delivery_id = ANY($1)',
    [[stored, dead]],
  )
  expect(rows.map(({ delivery_id }) => delivery_id)).toContain(dead)
  await expectGone(ana)
})

const REFUSING_TRIGGER = `
  CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'a fault'; END $$;
  CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON event FOR EACH ROW
    WHEN (NEW.sub_type = 'cannot be folded') EXECUTE FUNCTION refuse()`

it('writes nothing that a projector has read before, however late more arrives', async () => {
  const ana = aPerson()
  await enter(ana)
  const [pending = {}, progress = {}, issued = {}, success = {}] = bodiesOf(ana)
  await deliver([pending, progress])
  await folded()
  const id = await inTransaction(pool(), (tx) => beginErasure(tx, ana.userUuid))
  // The projector reads the subject before it is rewritten, and keeps it in memory.
  await deliver([issued])
  await folded()
  await runErasure(pool(), id)
  await deliver([success])
  await folded()
  await expectGone(ana)
})

it('goes on after it was killed at any point', async () => {
  const ana = await known()
  const id = await inTransaction(pool(), (tx) => beginErasure(tx, ana.userUuid))
  expect(await isFinished(pool(), id)).toBe(false)
  for (let steps = 0; steps < 4; steps++) {
    let left = steps
    const killed = runErasure(pool(), id, () => {
      if (left-- === 0) throw new Error('killed')
    })
    await killed.catch((error: Error) => expect(error.message).toBe('killed'))
  }
  const runner = await acquireErasure(pool(), id)
  expect(await runErasure(pool(), id)).toBe(null)
  // The runner that died still holds the lease for a while.
  await pool().query(`UPDATE lease SET expires_at = now() - interval '1 ms' WHERE name = $1`, [
    runner?.erasure.job.name,
  ])
  await runErasure(pool(), id)
  await expectGone(ana)
  expect(
    (await pool().query('SELECT working, finished_at FROM erasure WHERE id = $1', [id])).rows,
  ).toMatchObject([{ working: null, finished_at: expect.any(Date) }])
})

it('remembers who the person was when it begins again before it is done', async () => {
  const [ana, bob] = [await known(), aPerson()]
  const bounce = (text: string) => ({
    type: 'otpNotification',
    subType: 'EMAIL_DELIVERY_FAILED',
    uuid: bob.userUuid,
    data: { emailAddress: bob.email, diagnosticCode: `550 5.1.1 <${text}>` },
  })
  await deliver([ana.email, ana.targetAddress, ana.iban].map(bounce))
  await folded()
  for (const text of [ana.email, ana.lastName]) await linkTo(callerWith('compliance'), 'people', text)
  const begin = () => inTransaction(pool(), (tx) => beginErasure(tx, ana.userUuid))
  const id = await begin()
  const killed = runErasure(pool(), id, () => {
    throw new Error('killed')
  })
  await expect(killed).rejects.toThrow('killed')
  expect(await begin()).toBe(id)
  await runErasure(pool(), id)
  await expectGone(ana)
})

vi.setConfig({ testTimeout: 60_000 })
