import http from 'node:http'
import { openIngest } from '../../../lib/deliveries/ingest/ingest.ts'
import { handleDelivery } from '../../../lib/deliveries/ingest/node-http.ts'
import { checkDurability } from '../../../lib/platform/db/check-databases.ts'
import { openListener } from '../../../lib/platform/db/listen.ts'
import { makeMissingMonths } from '../../../lib/platform/db/month-keeper.ts'
import { openPool } from '../../../lib/platform/db/pool.ts'
import { toKeys } from '../../../lib/platform/env.ts'

// The program is the half of server.ts that takes deliveries. Without pages it starts at once.
const [url = '', keys = '', port = ''] = process.argv.slice(2)
process.on('disconnect', () => process.exit())
const pool = openPool(url, 1)
await checkDurability(pool)
await pool.end()
const listener = openListener(url)
const ingest = openIngest({ url, listener, keys: toKeys(keys) })
const server = http.createServer((request, response) => {
  if (!handleDelivery(request, response, () => ingest)) response.writeHead(404).end()
})
server.listen(Number(port), '127.0.0.1', () => {
  makeMissingMonths(url, new Date(), () => false).catch(console.error)
  process.send?.('ready')
})
