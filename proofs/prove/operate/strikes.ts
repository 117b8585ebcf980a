import type { Struck } from './causes.ts'
import type { OperateStage } from './open-stage.ts'
import type { Part } from './replica.ts'

/** A strike restarts, upgrades or kills a part of the installation, and ends when that runs again. */
export interface Strike extends Omit<Struck, 'from' | 'to'> {
  act(): Promise<void>
}

const parts: readonly Part[] = ['server.ts', 'live.ts', 'projector.ts', 'all']

/**
 * The list begins with what an operator does on a good day, and ends with the fail-over, after which there is no standby.
 * @param newer the folder of another version
 */
export function strikesOf(stage: OperateStage, newer: string): Strike[] {
  const { replicas, nginx, bouncer } = stage
  const rolling = (name: string, tree?: string): Strike => ({
    name,
    databaseAway: false,
    async act() {
      for (const replica of replicas) await replica.restart(tree)
    },
  })
  const kills = parts.flatMap((part) =>
    replicas.map(
      (replica): Strike => ({
        name: `${part === 'all' ? 'all' : part} of ${replica.name} killed`,
        databaseAway: false,
        act: () => replica.kill(part),
      }),
    ),
  )
  return [
    rolling('rolling restart'),
    { name: 'nginx reloaded', databaseAway: false, closesIdle: true, act: nginx.reload },
    ...kills,
    {
      name: 'PgBouncer reloaded',
      databaseAway: false,
      act: async () => bouncer.leadTo(Number(new URL(stage.primaryUrl()).port)),
    },
    rolling('rolling upgrade', newer),
    { name: 'standby restarted', databaseAway: true, act: stage.restartStandby },
    { name: 'PgBouncer killed', databaseAway: true, act: () => bouncer.restart() },
    { name: 'primary killed, standby promoted', databaseAway: true, act: stage.failOver },
  ]
}
