import type pg from 'pg'
import { z } from 'zod'
import { nothingRemoved, type Removed, removeAudited } from '#lib/operations/retention/month-remover.ts'
import {
  cutoffsOf,
  type LogAges,
  planRemoval,
  type RemovalPlan,
} from '#lib/operations/retention/plan-removal.ts'
import { RemovalWaits } from '#lib/operations/retention/remove-months.ts'
import { monthNamed } from '#lib/platform/db/partitions.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { settingSchemas } from '#lib/platform/settings/settings.ts'
import { acceptLoss, findLostMonths, requireWholeLog } from '#lib/timeline/projector/lost-months.ts'
import { readSettingRow, settingsKey } from '../../lib/platform/settings/settings.ts'
import { formatBytes } from '../../lib/words/labels/formats.ts'
import { databaseAddress, ownerAddress } from './database-address.ts'
import { ProgressRate, progressLine } from './progress.ts'

/** The usage has words, because npm takes anything that begins with a dash for itself. */
const usage = `npm run rampart retention [bodies=MONTHS] [events=MONTHS] [yes]
npm run rampart retention accept-loss MONTH…`

/** The command reports what is older than its retention age, and removes it on request. */
export async function retentionCommand(words: readonly string[]): Promise<number> {
  const [first, ...rest] = words
  if (first === 'accept-loss') return acceptLossOf(rest)
  const asked = readWords(words)
  if (!asked) {
    console.error(usage)
    return 2
  }
  const pool = openPool(databaseAddress(), 2)
  try {
    const ages = asked.ages ?? (await readAges(pool))
    if (ages.bodies === null && ages.events === null) {
      console.log('Bodies and events are kept for good. Ages are set on the page Settings, or given here:')
      console.log(usage)
      return 0
    }
    const plan = await planOf(ages)
    sayPlan(ages, plan)
    if (!asked.yes) {
      const again = Object.entries(ages).flatMap(([name, age]) => (age === null ? [] : [`${name}=${age}`]))
      console.log(
        `Nothing was removed. To remove it for good: npm run rampart retention ${again.join(' ')} yes`,
      )
      return 0
    }
    return await remove(pool, ages, plan)
  } catch (error) {
    if (!(error instanceof RemovalWaits)) throw error
    console.error(`${error.message} Run this again when that is over.`)
    return 1
  } finally {
    await pool.end()
  }
}

/** Reading a large log takes longer than any statement of the removal may. */
const planLimitMs = 3_600_000

async function planOf(ages: LogAges): Promise<RemovalPlan> {
  const pool = openPool(databaseAddress(), 1, planLimitMs)
  try {
    await requireWholeLog(pool)
    return await planRemoval(pool, cutoffsOf(ages, new Date()))
  } finally {
    await pool.end()
  }
}

async function remove(pool: pg.Pool, ages: LogAges, plan: RemovalPlan): Promise<number> {
  let interrupted = false
  const stop = () => {
    interrupted = true
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  // Nobody reads the output any more, and the audit must still say what was removed.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', stop)
  const total = ages.bodies === null ? 0 : plan.months.reduce((sum, { deliveries }) => sum + deliveries, 0)
  const pace = new ProgressRate()
  const show = progressLine()
  let removed = nothingRemoved
  try {
    for await (const reached of removeAudited(pool, ownerAddress(), ages, { isAsked: true })) {
      removed = reached.removed
      const { bodies: done } = removed
      if (reached.step.kind === 'bodies')
        show(() => pace.line({ done, total: Math.max(done, total) }, performance.now()))
      else if (reached.step.kind === 'subjects')
        show(() => `${removed.subjects} transactions and others removed`)
      if (interrupted) break
    }
  } finally {
    sayRemoved(removed)
  }
  const { undropped } = removed
  if (interrupted) console.log('Interrupted. What is left goes when this is run again.')
  else if (undropped.length > 0)
    console.error(
      `${undropped.join(', ')} is empty and was not dropped, since somebody reads the log. Run this again.`,
    )
  return interrupted ? 130 : undropped.length > 0 ? 1 : 0
}

function sayRemoved({ subjects, bodies, months }: Removed): void {
  if (process.stdout.isTTY) process.stdout.write('\n')
  console.log(`Removed: ${subjects} transactions and others with all their events, and ${bodies} bodies.`)
  console.log(`Months dropped: ${months.join(', ') || 'none'}.`)
}

/** A person dropped these months by hand, and nobody can bring them back. */
async function acceptLossOf(names: readonly string[]): Promise<number> {
  const months = names.map(monthNamed)
  if (months.length === 0 || months.includes(null)) {
    console.error(usage)
    return 2
  }
  const pool = openPool(databaseAddress(), 2)
  try {
    const lost = new Set((await findLostMonths(pool)).map(({ name }) => name))
    for (const month of months) {
      if (!month) continue
      if (!lost.has(month.name)) {
        console.error(`${month.name}: nothing is lost there, as far as its events say. Nothing was changed.`)
        return 1
      }
      const events = await acceptLoss(pool, month)
      console.log(
        `${month.name}: ${events} events have lost their bodies. They stay as they are, also in a rebuild.`,
      )
    }
    return 0
  } finally {
    await pool.end()
  }
}

/** The result is null when a word was not understood. Given ages replace both configured ones. */
function readWords(
  words: readonly string[],
): { readonly ages: LogAges | null; readonly yes: boolean } | null {
  const given: Record<string, number> = {}
  for (const word of words.filter((one) => one !== 'yes')) {
    const [, name, months] = /^(bodies|events)=(\d+)$/.exec(word) ?? []
    if (name === undefined) return null
    given[name] = Number(months)
  }
  const yes = words.includes('yes')
  if (Object.keys(given).length === 0) return { ages: null, yes }
  const { data, error } = settingSchemas.logMonths.safeParse(given)
  if (error) console.error(error.issues.map(({ message }) => message).join(' '))
  return data ? { ages: { bodies: data.bodies ?? null, events: data.events ?? null }, yes } : null
}

async function readAges(pool: pg.Pool): Promise<LogAges> {
  const stored = await readSettingRow(pool, settingsKey)
  const { bodies = null, events = null } = StoredSchema.parse(stored).logMonths
  return { bodies, events }
}

function sayPlan({ bodies, events }: LogAges, { months, subjects, staying }: RemovalPlan): void {
  const kept = (age: number | null) => (age === null ? 'for good' : age === 1 ? '1 month' : `${age} months`)
  console.log(`Kept beside the month under way: bodies ${kept(bodies)}, events ${kept(events)}.`)
  if (bodies !== null) {
    console.log(months.length > 0 ? 'Bodies that leave the log:' : 'No month of the log is older.')
    for (const { name, deliveries, isEstimate, bytes, unfolded } of months)
      console.log(
        `  ${name}  ${isEstimate ? 'about ' : ''}${deliveries} deliveries, ${formatBytes(bytes)}${unfolded > 0 ? stays(unfolded) : ''}`,
      )
    console.log('Of each body its event keeps the fields that pages and rebuilds read.')
  }
  if (events !== null) {
    console.log(`Gone whole, with events, ids and notes: ${counted(subjects) || 'nothing'}.`)
    if (Object.keys(staying).length > 0)
      console.log(`As old, but open, in force, waiting or written about, so they stay: ${counted(staying)}.`)
  }
}

const stays = (unfolded: number) =>
  `; ${unfolded} could not be folded or wait: they stay, and so does the month`

const counted = (kinds: Readonly<Record<string, number>>) =>
  Object.entries(kinds)
    .map(([kind, n]) => `${n} ${kindNames[kind] ?? kind}`)
    .join(', ')

const kindNames: Readonly<Record<string, string>> = {
  transaction: 'transactions',
  'bank-account': 'accounts',
  entity: 'people and companies',
  unknown: 'events about nobody',
}

const StoredSchema = z.object({ logMonths: settingSchemas.logMonths.catch({}) }).catch({ logMonths: {} })
