import http from 'node:http'
import { openListener } from '#lib/db/listen.ts'
import { toKeys } from '#lib/env.ts'
import { openIngest } from '#lib/ingest/ingest.ts'
import { handleWebhook } from '#lib/ingest/node-http.ts'

// The whole way in, as server.ts has it.
const [url = '', keys = ''] = process.argv.slice(2)
const ingest = openIngest({ url, listener: openListener(url), keys: toKeys(keys) })
const server = http.createServer((request, response) => {
  if (!handleWebhook(request, response, () => ingest)) response.writeHead(404).end()
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.(typeof address === 'object' && address ? address.port : 0)
})
