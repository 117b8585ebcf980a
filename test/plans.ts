import { expect, vi } from 'vitest'
import { z } from 'zod'
import { pool } from '#lib/platform/db/pool.ts'
import { poolByIndex, type Queryable } from '../lib/platform/db/read-pools.ts'

/** A node is one step of PostgreSQL's plan, with its expected number of rows. */
export interface PlanNode {
  readonly type: string
  readonly rows: number
  readonly table: string | undefined
  readonly index: string | undefined
  /** The step read this many rows from its table, used or not. The number is 0 without ANALYZE. */
  readonly read: number
  readonly below: readonly PlanNode[]
}

/** The list holds every step in the answer to EXPLAIN (FORMAT JSON), each before those below it. */
export function nodesOf(answer: readonly unknown[]): PlanNode[] {
  const top = read(ExplainedSchema.parse(answer)[0]['QUERY PLAN'][0].Plan)
  return [top, ...allBelow(top)]
}

const allBelow = ({ below }: PlanNode): PlanNode[] => below.flatMap((node) => [node, ...allBelow(node)])

const read = (plan: Plan): PlanNode => ({
  type: plan['Node Type'],
  rows: plan['Plan Rows'],
  table: plan['Relation Name'],
  index: plan['Index Name'],
  read: (plan['Actual Rows'] + plan['Rows Removed by Filter']) * plan['Actual Loops'],
  below: (plan.Plans ?? []).map(read),
})

const PlanSchema = z.object({
  'Node Type': z.string(),
  'Plan Rows': z.number(),
  'Relation Name': z.string().optional(),
  'Index Name': z.string().optional(),
  // With ANALYZE the number is for each of the step's loops.
  'Actual Rows': z.number().default(0),
  'Actual Loops': z.number().default(0),
  'Rows Removed by Filter': z.number().default(0),
  get Plans() {
    return z.array(PlanSchema).optional()
  },
})
type Plan = z.infer<typeof PlanSchema>

const ExplainedSchema = z.tuple([z.object({ 'QUERY PLAN': z.tuple([z.object({ Plan: PlanSchema })]) })])

/** These tables have few rows, so reading them whole costs less than an index. */
const small: ReadonlySet<string> = new Set([
  'receiver',
  'member',
  'gap',
  'usual_stay',
  // People snooze by hand.
  'overview_mute',
  'standing_count',
  'transaction_count',
  'receiver_period',
  'watched_endpoint',
  'endpoint_state',
  'setting',
])

/**
 * The function plans all statements sent meanwhile. None may read a large table whole, or sort more than `most`. A prepared
 * statement must keep to it with its generic plan too.
 */
export async function plansOf(read: () => Promise<unknown>, most = 1_000): Promise<PlanNode[]> {
  const sent = await hear(read)
  const nodes = await explain('EXPLAIN (FORMAT JSON)', sent)
  const kept = sent.filter(({ name }) => name !== undefined).map((one) => ({ ...one, values: undefined }))
  for (const { type, table, below } of [
    ...nodes,
    ...(await explain('EXPLAIN (GENERIC_PLAN, FORMAT JSON)', kept)),
  ]) {
    if (!small.has(table ?? '')) expect(type).not.toBe('Seq Scan')
    if (type === 'Sort') for (const each of below) expect(each.rows).toBeLessThanOrEqual(most)
  }
  return nodes
}

/** The number says how many rows of tables all statements sent meanwhile read. */
export async function rowsReadBy(read: () => Promise<unknown>): Promise<number> {
  const nodes = await explain('EXPLAIN (ANALYZE, FORMAT JSON)', await hear(read))
  return nodes.filter(({ table }) => table !== undefined).reduce((sum, node) => sum + node.read, 0)
}

async function hear(read: () => Promise<unknown>): Promise<Sent[]> {
  const spies = [pool(), poolByIndex()].map((to) => ({ to, spy: vi.spyOn(to, 'query') }))
  await read()
  const sent = spies.flatMap(({ to, spy }) =>
    spy.mock.calls.map(([first, values]) => ({
      to,
      ...StatementSchema.parse(typeof first === 'string' ? { text: first, values } : first),
    })),
  )
  for (const { spy } of spies) spy.mockRestore()
  return sent.filter(({ text }) => !/^EXPLAIN| FROM person WHERE user_uuid/.test(text))
}

/** A statement with a name is prepared. */
const StatementSchema = z.object({
  name: z.string().optional(),
  text: z.string(),
  values: z.array(z.unknown()).optional(),
})

interface Sent extends z.infer<typeof StatementSchema> {
  readonly to: Queryable
}

async function explain(how: string, sent: readonly Sent[]): Promise<PlanNode[]> {
  const nodes: PlanNode[] = []
  for (const { to, text, values } of sent) {
    const { rows } = await to.query(`${how} ${text}`, values)
    nodes.push(...nodesOf(rows))
  }
  return nodes
}
