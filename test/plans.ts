import { expect, vi } from 'vitest'
import { z } from 'zod'
import { pool } from '#lib/db/pool.ts'
import { poolByIndex } from '#lib/db/pool-by-index.ts'

/** A step of what PostgreSQL means to do, with the rows that it expects of it. */
export interface PlanNode {
  readonly type: string
  readonly rows: number
  readonly table: string | undefined
  readonly index: string | undefined
  /** Rows that it took from its table, used or not; 0 without ANALYZE. */
  readonly read: number
  readonly below: readonly PlanNode[]
}

/** Every step in the answer to EXPLAIN (FORMAT JSON), each before those below it. */
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
  // With ANALYZE, for each of its loops.
  'Actual Rows': z.number().default(0),
  'Actual Loops': z.number().default(0),
  'Rows Removed by Filter': z.number().default(0),
  get Plans() {
    return z.array(PlanSchema).optional()
  },
})
type Plan = z.infer<typeof PlanSchema>

const ExplainedSchema = z.tuple([z.object({ 'QUERY PLAN': z.tuple([z.object({ Plan: PlanSchema })]) })])

/** Tables of some rows, which are read whole for less than by an index. */
const small: ReadonlySet<string> = new Set([
  'receiver',
  'member',
  'gap',
  'usual_stay',
  'receiver_period',
  'watched_endpoint',
  'endpoint_state',
  'setting',
])

/** The plans of all statements that are sent meanwhile, none of which may read a large table whole, or sort more than `most`. */
export async function plansOf(read: () => Promise<unknown>, most = 1_000): Promise<PlanNode[]> {
  const nodes = await explain('EXPLAIN (FORMAT JSON)', read)
  for (const { type, table, below } of nodes) {
    if (!small.has(table ?? '')) expect(type).not.toBe('Seq Scan')
    if (type === 'Sort') for (const each of below) expect(each.rows).toBeLessThanOrEqual(most)
  }
  return nodes
}

/** How many rows of tables all statements that are sent meanwhile read. */
export async function rowsReadBy(read: () => Promise<unknown>): Promise<number> {
  const nodes = await explain('EXPLAIN (ANALYZE, FORMAT JSON)', read)
  return nodes.filter(({ table }) => table !== undefined).reduce((sum, node) => sum + node.read, 0)
}

async function explain(how: string, read: () => Promise<unknown>): Promise<PlanNode[]> {
  const asked = [pool(), poolByIndex()].map((each) => ({ each, spy: vi.spyOn(each, 'query') }))
  await read()
  const sent = asked.flatMap(({ each, spy }) =>
    spy.mock.calls.map(([sql, values]) => ({ each, ...StatementSchema.parse({ sql, values }) })),
  )
  for (const { spy } of asked) spy.mockRestore()
  const nodes: PlanNode[] = []
  for (const { each, sql, values } of sent.filter(({ sql: text }) => !/^EXPLAIN| FROM person /.test(text))) {
    const { rows } = await each.query(`${how} ${sql}`, values)
    nodes.push(...nodesOf(rows))
  }
  return nodes
}

const StatementSchema = z.object({ sql: z.string(), values: z.array(z.unknown()) })
