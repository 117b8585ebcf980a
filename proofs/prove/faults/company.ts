import crypto from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { insertDeliveries } from '../../../lib/deliveries/ingest/insert-deliveries.ts'
import { openPool } from '../../../lib/platform/db/pool.ts'
import type { FaultTest } from './fault-test.ts'
import { foldedContent, openTestBed, waitUntilFolded } from './test-bed.ts'

/** Each delivery has this many bytes about the company. */
const bodyBytes = 256 * 1024

/** The projector may have this many megabytes, however much there is of one subject. */
const most = 400

/** Very much of one company waits at once, and the projector reads it in parts. */
export const company: FaultTest = async ({ short }) => {
  const count = short ? 300 : 1_000
  const stage = await openTestBed('company')
  try {
    const receiver = await stage.addReceiver()
    const pool = openPool(stage.url, 1)
    const uuid = crypto.randomUUID()
    for (let n = 0; n < count; n++) {
      const data = { status: n % 2 === 0 ? 'KYB_PENDING' : 'KYB_SOFT_FAILED', note: noise() }
      const body = Buffer.from(JSON.stringify({ type: 'KYB', subType: 'statusUpdate', uuid, data }))
      await insertDeliveries(pool, [{ id: uuidv7(), receiverId: receiver.id, body }], 10_000)
    }
    await pool.end()
    const projector = await stage.addProjector()
    await waitUntilFolded(stage.url)
    const megabytes = projector.memory().most
    await foldedContent(stage.url)
    if (megabytes > most) throw new Error(`The projector took ${megabytes} MB`)
    return `${count} deliveries of ${bodyBytes / 1024} KiB about one company, each folded, ${megabytes} MB at most`
  } finally {
    await stage.close()
  }
}

/** The noise differs in each body, so that nothing is a repetition and nothing can be compressed. */
const noise = () => crypto.randomBytes(bodyBytes / 2).toString('hex')
