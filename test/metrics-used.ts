import fs from 'node:fs'
import { z } from 'zod'

// Alert rules and the dashboard are of use only with metrics that exist.

export const rulesFile = 'ops/prometheus/rampart.rules.yml'
export const dashboardFile = 'ops/grafana/rampart.json'

const DashboardSchema = z.object({
  templating: z.object({ list: z.array(z.looseObject({ name: z.string(), type: z.string() })) }),
  panels: z.array(z.object({ targets: z.array(z.object({ expr: z.string() })) })),
})

/** The result has the texts of one field of all alert rules. */
export const textsOfRules = (field: 'expr' | 'summary'): string[] =>
  [...fs.readFileSync(rulesFile, 'utf8').matchAll(new RegExp(`^ +${field}: '(.*)'$`, 'gm'))].map(
    ([, text = '']) => text,
  )

/** The result has the dashboard's expressions, and its variables. */
export function readDashboard() {
  const { panels, templating } = DashboardSchema.parse(JSON.parse(fs.readFileSync(dashboardFile, 'utf8')))
  return {
    expressions: panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    variables: templating.list,
  }
}

/** The result names every metric that the alert rules and the dashboard use. */
export function metricsUsed(): string[] {
  const all = [...textsOfRules('expr'), ...readDashboard().expressions].flatMap(selectorsOf)
  return [...new Set(all.map(({ metric }) => metric))].filter((name) => name !== 'up').sort()
}

/** A name with an underscore is a metric, where it is no function, and no label in braces or after `by`. */
export const selectorsOf = (expression: string) =>
  [
    ...expression
      .replaceAll(/\b(by|without) \([^)]*\)/g, '')
      .matchAll(/\b(?<metric>up|[a-z]+_\w+)\b(?! ?\()(?:\{(?<labels>[^}]*)\})?/g),
  ].map(({ groups: { metric = '', labels = '' } = {} }) => ({ metric, labels }))

/** The result has the labels that each aggregation of the expression keeps. */
export const keptLabelsOf = (expression: string): string[][] =>
  [
    ...expression.matchAll(
      /\b(?:sum|min|max|avg|count|group|quantile|topk|bottomk)\b(?: by \((?<kept>[^)]*)\))?/g,
    ),
  ].map(({ groups: { kept = '' } = {} }) => kept.split(', '))

/** The result names every metric of a scrape that has a value, with the parts of a histogram. */
export const metricsIn = (scrape: string): ReadonlySet<string> =>
  new Set([...scrape.matchAll(/^([a-z_]\w*)(?:\{.*\})? \S+$/gm)].map(([, name = '']) => name))
