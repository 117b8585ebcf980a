import { startProjector } from '../../../lib/timeline/projector/projector.ts'

// The program runs a projector as production does. The second word is the number of shards.
const [url = '', shards] = process.argv.slice(2)
process.on('disconnect', () => process.exit())
await startProjector({ url, ...(shards === undefined ? {} : { shards: Number(shards) }) })
process.send?.('ready')
