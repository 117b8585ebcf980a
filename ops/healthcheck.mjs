// The image has no curl. This program ends with 0 while Rampart can take requests, and otherwise says why it cannot.
const port = process.env.PORT || '3000'
try {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(4_000) })
  if (!answer.ok) console.error(`${answer.status} ${(await answer.text()).slice(0, 500)}`)
  process.exitCode = answer.ok ? 0 : 1
} catch (error) {
  console.error(`Port ${port} does not answer: ${error.cause?.message ?? error.message}`)
  process.exitCode = 1
}
