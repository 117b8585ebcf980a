import { type Runner, type RunnerOptions, run, runMigrations } from 'graphile-worker'
import { z } from 'zod'
import { queueSchemaOf } from './database/pool.ts'
import { createDeliverer } from './deliveries/deliverer.ts'
import { sendMail } from './one-time-password/mail.ts'
import { playNextStep } from './scenarios/play.ts'
import { queueLogger } from './state/log.ts'
import type { Sandbox } from './state/sandbox.ts'

export interface Queue {
  stop(graceMs: number): Promise<void>
  /** The promise settles when the queue can no longer work. */
  readonly ended: Promise<void>
}

/** The queue is durable: retries and scenario steps wait in PostgreSQL, not in this process. */
export async function startQueue(sandbox: Sandbox): Promise<Queue> {
  const deliverer = createDeliverer(sandbox)
  const options: RunnerOptions = {
    pgPool: sandbox.pool,
    schema: queueSchemaOf(sandbox.schema),
    logger: queueLogger(sandbox.log),
    noHandleSignals: true,
    useNodeTime: true,
    parsedCronItems: [],
    taskList: {
      deliver: (payload) => deliverer.deliver(DeliverJobSchema.parse(payload).endpoint),
      play: (payload) => playNextStep(sandbox, payload),
      mail: (payload) => sendMail(sandbox, payload),
      wake: () => {},
    },
    preset: {
      worker: {
        concurrentJobs: maxConcurrentJobs,
        pollInterval: 200,
        localQueue: { size: maxConcurrentJobs },
        completeJobBatchDelay: 5,
        failJobBatchDelay: 5,
        gracefulShutdownAbortTimeout: 60_000,
      },
    },
  }
  await runMigrations(options)
  await recoverJobs(sandbox)
  const runner = await run(options)
  return { ended: runner.promise, stop: (graceMs) => stop(runner, graceMs) }

  async function stop(running: Runner, graceMs: number) {
    await deliverer.stop(graceMs)
    await running.stop()
  }
}

/** The queue runs at most this many jobs at once, almost all of them loops of one endpoint each. */
const maxConcurrentJobs = 256

const DeliverJobSchema = z.object({ endpoint: z.uuid() })

/**
 * A crashed process's job locks are void, since one process at a time uses the database. A job may be lost after its
 * delivery went to a running loop, so every endpoint with something due gets a new job.
 */
async function recoverJobs({ pool, clock }: Sandbox) {
  await pool.query(
    `SELECT force_unlock_workers(array_agg(DISTINCT locked_by))
     FROM jobs WHERE locked_by IS NOT NULL HAVING count(*) > 0`,
  )
  await pool.query(
    `SELECT add_job('deliver', json_build_object('endpoint', endpoint_uuid), max_attempts := 100)
     FROM delivery WHERE state = 'waiting' AND due_at <= $1 GROUP BY endpoint_uuid`,
    [clock.now()],
  )
}
