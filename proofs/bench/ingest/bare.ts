import http from 'node:http'
import { uuidv7 } from 'uuidv7'
import { insertDeliveries, type StoredDelivery } from '../../../lib/deliveries/ingest/insert-deliveries.ts'
import { openPool } from '../../../lib/platform/db/pool.ts'

// The bare server is the least that stores durably: it has no check, no limit and no time-out, but the same statement and
// batching.
const pool = openPool(process.argv[2] ?? '')
let queue: (StoredDelivery & { answer: () => void })[] = []
let flushing = false

const server = http.createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const id = uuidv7()
    const receiverId = request.url?.slice('/api/webhooks/'.length) ?? ''
    const answer = () => response.writeHead(200, { 'content-length': 2 }).end('{}')
    queue.push({ id, receiverId, body: Buffer.concat(chunks), answer })
    if (!flushing) void flush()
  })
})

async function flush() {
  flushing = true
  while (queue.length > 0) {
    await new Promise((resolve) => setImmediate(resolve))
    const batch = queue.slice(0, 200)
    queue = queue.slice(200)
    await insertDeliveries(pool, batch, 60_000)
    for (const { answer } of batch) answer()
  }
  flushing = false
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.(typeof address === 'object' && address ? address.port : 0)
})
