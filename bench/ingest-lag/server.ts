import http from 'node:http'
import { openListener } from '#lib/db/listen.ts'
import { toKeys } from '#lib/env.ts'
import { openIngest } from '#lib/ingest/ingest.ts'
import { handleWebhook } from '#lib/ingest/node-http.ts'
import { startProjector } from '#lib/projector/projector.ts'

// The way in and the projector in one process, as server.ts has them. Asked for anything, it says its memory.
const [url = '', keys = ''] = process.argv.slice(2)
const listener = openListener(url)
const ingest = openIngest({ url, listener, keys: toKeys(keys) })
await startProjector({ url, listener })
const server = http.createServer((request, response) => {
  if (!handleWebhook(request, response, () => ingest)) response.writeHead(404).end()
})
process.on('message', () => process.send?.(process.memoryUsage.rss()))
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.(typeof address === 'object' && address ? address.port : 0)
})
