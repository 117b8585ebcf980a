import type { OperateStage, Part } from './open-stage.ts'

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

/** A request failed: it was answered 5xx, or not as it should be, or not to its end (0). */
export interface Failure {
  /** The reading of the monotonic clock is that of the answer. */
  readonly at: number
  readonly who: 'person' | 'service'
  readonly status: number
  readonly path: string
}

/** A strike lasted from one reading of the monotonic clock to another. */
export interface Struck {
  readonly name: string
  /** A delivery may be answered 503 meanwhile, and comes again. */
  readonly databaseAway: boolean
  /** The proxy closes idle connections, so that what the service has just sent there gets no answer, and comes again. */
  readonly closesIdle?: boolean
  readonly from: number
  readonly to: number
}

/** A strike is the cause of what fails within this many milliseconds after it. */
const afterwardsMs = 15_000

/** The result is the latest strike that had begun. It is undefined where the failure has no cause. */
const causeOf = (failure: Failure, struck: readonly Struck[]): Struck | undefined =>
  struck.findLast(({ from, to }) => failure.at >= from && failure.at <= to + afterwardsMs)

/** Each line names a strike, who got which status how often, and when. */
export function describeFailures(
  failures: readonly Failure[],
  struck: readonly Struck[],
  began: number,
): string[] {
  const groups = Map.groupBy(failures, (failure) => {
    const cause = causeOf(failure, struck)?.name ?? 'NOTHING WAS STRUCK'
    return `${cause}: ${failure.who}, ${failure.status === 0 ? 'no whole answer' : failure.status}`
  })
  return [...groups].map(([words, group]) => {
    const times = group.map(({ at }) => at)
    const [first, last] = [Math.min(...times), Math.max(...times)]
    const paths = [...new Set(group.flatMap(({ who, path }) => (who === 'person' ? [path] : [])))]
    return `${words}, ${group.length} times from ${clock(first - began)} to ${clock(last - began)}${paths.length > 0 ? ` (${paths.slice(0, 4).join(', ')})` : ''}`
  })
}

/**
 * People get no failure at all. The service gets one only while the database is away, or no answer where its idle connection was
 * closed.
 */
export const unexpected = (failures: readonly Failure[], struck: readonly Struck[]): Failure[] =>
  failures.filter((failure) => {
    const cause = causeOf(failure, struck)
    const isCutOff = failure.status === 0 && cause?.closesIdle === true
    return failure.who === 'person' || !(cause?.databaseAway || isCutOff)
  })

/** The result is minutes and seconds since the beginning. */
export const clock = (ms: number): string => {
  const seconds = Math.max(0, ms) / 1_000
  return `${Math.floor(seconds / 60)}:${(seconds % 60).toFixed(1).padStart(4, '0')}`
}
