import { startProjector } from '#lib/projector/projector.ts'

// The projector alone. Begins when it is told to, and says at its end what processor time it took.
process.send?.('ready')
process.once('message', async () => {
  const before = process.cpuUsage()
  const projector = await startProjector({ url: process.argv[2] ?? '' })
  process.once('message', async () => {
    await projector.stop()
    const { user, system } = process.cpuUsage(before)
    process.send?.((user + system) / 1e6)
  })
})
