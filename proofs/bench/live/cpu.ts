// Loaded into the server that is measured: asked for it, it says how much of the processor it has used, in ms.
process.on('message', (word) => {
  if (word !== 'cpu') return
  const { user, system } = process.cpuUsage()
  process.send?.({ kind: 'cpu', ms: (user + system) / 1000 })
})
