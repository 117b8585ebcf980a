import { readEnv } from './env.ts'
import { type RunningSandbox, startSandbox } from './start.ts'
import { StartError } from './start-error.ts'

/** The sandbox as a program: `node sandbox/main.ts`. Exits 0 after a signal to stop, 1 when it cannot go on. */
try {
  const sandbox = await startSandbox(readEnv())
  process.send?.({ kind: 'ready' })
  stopOnRequest(sandbox)
} catch (error) {
  if (!(error instanceof StartError)) throw error
  console.error(error.message)
  process.exit(1)
}

function stopOnRequest(sandbox: RunningSandbox) {
  let stopping = false
  const stop = async (exitCode: number) => {
    if (stopping) return
    stopping = true
    await sandbox.stop()
    process.exit(exitCode)
  }
  process.on('SIGTERM', () => stop(0))
  process.on('SIGINT', () => stop(0))
  process.on('disconnect', () => stop(0))
  sandbox.ended.then(
    () => stop(1),
    (error: unknown) => {
      sandbox.log.fatal({ err: error }, 'The sandbox cannot go on')
      return stop(1)
    },
  )
}
