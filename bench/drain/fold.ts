import { startProjector } from '#lib/projector/projector.ts'

// The projector alone. Works when it is told to begin, until it is told to pause: then it says what processor time that took.
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
