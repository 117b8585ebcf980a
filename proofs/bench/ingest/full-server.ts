import http from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { openIngest } from '../../../lib/deliveries/ingest/ingest.ts'
import { handleDelivery } from '../../../lib/deliveries/ingest/node-http.ts'
import { openListener } from '../../../lib/platform/db/listen.ts'
import { toKeys } from '../../../lib/platform/env.ts'

// The program is the full ingest path, as in server.ts. It reports its memory, and its event-loop delay since the message
// that begins the measurement.
const [url = '', keys = ''] = process.argv.slice(2)
const ingest = openIngest({ url, listener: openListener(url), keys: toKeys(keys) })
const server = http.createServer((request, response) => {
  if (!handleDelivery(request, response, () => ingest)) response.writeHead(404).end()
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.(typeof address === 'object' && address ? address.port : 0)
})

// The timer fires every millisecond, and is late when something else ran in between.
const resolution = 1
const delay = monitorEventLoopDelay({ resolution })
const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - resolution)
process.on('message', (wish) => {
  if (wish === 'begin') {
    delay.enable()
    delay.reset()
  } else if (wish === 'delay') {
    process.send?.(JSON.stringify({ p99: late(delay.percentile(99)), most: late(delay.max) }))
  } else process.send?.(process.memoryUsage.rss())
})
