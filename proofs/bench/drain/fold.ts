import { startProjector } from '../../../lib/timeline/projector/projector.ts'

// The program runs the projector alone, from a `begin` message to a `pause` message, and then reports the processor time
// used.
process.send?.('ready')
for (;;) {
  await message()
  const before = process.cpuUsage()
  const projector = await startProjector({ url: process.argv[2] ?? '' })
  await message()
  await projector.stop()
  const { user, system } = process.cpuUsage(before)
  process.send?.((user + system) / 1e6)
}

function message() {
  return new Promise((resolve) => process.once('message', resolve))
}
