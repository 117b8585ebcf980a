import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { TestDatabase } from '../../test/postgres.ts'
import { openPool } from '../database/pool.ts'
import { createEndpoint } from '../service/webhook-endpoints.ts'
import { createFaults } from '../state/faults.ts'
import { createIds } from '../state/ids.ts'
import { createLog } from '../state/log.ts'
import { OptionsSchema } from '../state/options.ts'
import { createSandboxDatabase } from '../test/running.ts'
import { addSeconds, createClock } from '../time/clock.ts'
import { createDeliverer } from './deliverer.ts'
import { emitAll } from './emit.ts'

// The queue is stopped in this test, so that the test itself decides when a job comes.
const clock = createClock({ sandboxAt: new Date(), realAt: new Date(), speed: 1, frozen: false })
let database: TestDatabase
let pool: pg.Pool
let deliver: () => Promise<void>
let requests: number
/** The receiver awaits this function before it answers, and answers with its status. */
let onRequest: () => Promise<number>
const receiver = http.createServer(async (request, response) => {
  request.resume()
  requests += 1
  response.writeHead(await onRequest()).end()
})

beforeAll(async () => {
  database = await createSandboxDatabase()
  pool = openPool(database.url)
  // The database stops while connections of an ended pool are still closing.
  pool.on('error', () => undefined)
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
})
afterAll(async () => {
  receiver.closeAllConnections()
  receiver.close()
  await pool.end()
  await database.drop()
})
beforeEach(async () => {
  await pool.query('DELETE FROM webhook_endpoint')
  const { port } = receiver.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/hook`
  const { uuid } = await createEndpoint(pool, createIds(), { url, description: 'Test' }, clock.now())
  const options = OptionsSchema.parse({})
  const parts = { pool, clock, options, log: createLog('silent'), faults: createFaults(createIds()) }
  const deliverer = createDeliverer(parts)
  deliver = () => deliverer.deliver(uuid)
  requests = 0
  onRequest = async () => 200
})

const store = (count: number) =>
  emitAll(
    pool,
    clock,
    Array.from({ length: count }, () => ({
      id: randomUUID(),
      envelope: { type: 'KYC', subType: 'x', uuid: randomUUID(), data: {} },
    })),
  )

async function states() {
  const { rows } = await pool.query('SELECT state, attempts FROM delivery ORDER BY created_at, id')
  return rows
}

/** The work runs the given number of steps after the next statement is answered, before or after its caller learns of it. */
function afterNextStatement<Result>(steps: number, work: () => Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    pool.once('release', async () => {
      for (let step = 0; step < steps; step++) await null
      work().then(resolve, reject)
    })
  })
}

const everyStep = Array.from({ length: 20 }, (_, step) => step)

describe('a loop', () => {
  it.each(everyStep)('a loop delivers what comes due %i steps before or after its end', async (steps) => {
    let second: Promise<void> | undefined
    await store(1)
    onRequest = async () => {
      onRequest = async () => 200
      await store(1)
      second = afterNextStatement(steps, deliver)
      return 200
    }
    await deliver()
    await second
    expect(await states()).toEqual([
      { state: 'delivered', attempts: 1 },
      { state: 'delivered', attempts: 1 },
    ])
  })

  it.each(everyStep)(
    'a loop makes a retry that is due %i steps after its attempt was recorded',
    async (steps) => {
      let second: Promise<void> | undefined
      await store(1)
      onRequest = async () => {
        onRequest = async () => 200
        second = afterNextStatement(steps, () => {
          clock.follow({
            sandboxAt: addSeconds(clock.now(), 10),
            realAt: new Date(),
            speed: 1,
            frozen: false,
          })
          return deliver()
        })
        return 500
      }
      await deliver()
      await second
      expect(await states()).toEqual([{ state: 'delivered', attempts: 2 }])
    },
  )

  it('that waits for one answer sends the others meanwhile', async () => {
    const arrived = { first: Promise.withResolvers<void>(), others: Promise.withResolvers<void>() }
    onRequest = async () => {
      if (requests === 21) arrived.others.resolve()
      if (requests > 1) return 200
      arrived.first.resolve()
      await arrived.others.promise
      return 200
    }
    await store(1)
    const done = deliver()
    await arrived.first.promise
    await store(20)
    await deliver()
    await done
    expect(await states()).toEqual(Array(21).fill({ state: 'delivered', attempts: 1 }))
  })

  it('that was woken once attempts everything due, however much that is', async () => {
    await store(300)
    await deliver()
    expect(requests).toBe(300)
    expect((await states()).every(({ state }) => state === 'delivered')).toBe(true)
  })

  it('a loop that cannot record its attempts fails its job, which repeats them', async () => {
    await store(3)
    onRequest = async () => {
      onRequest = async () => 200
      await pool.query('ALTER TABLE attempt RENAME TO away')
      return 200
    }
    await expect(deliver()).rejects.toThrow('attempt')
    await pool.query('ALTER TABLE away RENAME TO attempt')
    expect(await states()).toContainEqual({ state: 'waiting', attempts: 0 })
    await deliver()
    expect((await states()).every(({ state, attempts }) => state === 'delivered' && attempts === 1)).toBe(
      true,
    )
    expect(requests).toBeGreaterThan(3)
  })
})
