import http from 'node:http'
import { checkDurability } from '../../../lib/db/check-durability.ts'
import { openListener } from '../../../lib/db/listen.ts'
import { startMonthKeeper } from '../../../lib/db/month-keeper.ts'
import { openPool } from '../../../lib/db/pool.ts'
import { toKeys } from '../../../lib/env.ts'
import { openIngest } from '../../../lib/ingest/ingest.ts'
import { handleDelivery } from '../../../lib/ingest/node-http.ts'

// The half of server.ts that takes deliveries, without pages, so that it starts at once.
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
  startMonthKeeper(url).check()
  process.send?.('ready')
})
