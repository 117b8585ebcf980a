// The measured server loads this file. On request it reports its processor time in ms.
process.on('message', (word) => {
  if (word !== 'cpu') return
  const { user, system } = process.cpuUsage()
  process.send?.({ kind: 'cpu', ms: (user + system) / 1000 })
})
