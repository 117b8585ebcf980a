import fs from 'node:fs'
import { z } from 'zod'

// Alert rules and the dashboard are of use only with metrics that exist.

export const rulesFile = 'ops/prometheus/rampart.rules.yml'
export const dashboardFile = 'ops/grafana/rampart.json'

const DashboardSchema = z.object({
  panels: z.array(z.object({ targets: z.array(z.object({ expr: z.string() })) })),
})

/** The result names every metric that the alert rules and the dashboard use. */
export function metricsUsed(): string[] {
  const rules = [...fs.readFileSync(rulesFile, 'utf8').matchAll(/^ +expr: '(.*)'$/gm)].map(
    ([, text = '']) => text,
  )
  const { panels } = DashboardSchema.parse(JSON.parse(fs.readFileSync(dashboardFile, 'utf8')))
  const shown = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
  return [...new Set([...rules, ...shown].flatMap(metricsOf))].filter((name) => name !== 'up').sort()
}

/** A name with an underscore is a metric, where it is no function, and no label in braces or after `by`. */
function metricsOf(expression: string): string[] {
  const bare = expression
    .replaceAll(/\{[^}]*\}/g, '')
    .replaceAll(/\b(by|without) \([^)]*\)/g, '')
    .replaceAll(/\[[^\]]*\]/g, '')
  return [...bare.matchAll(/\b(up|[a-z]+_\w+)\b(?! ?\()/g)].map(([name]) => name)
}

/** The result names every metric of a scrape that has a value, with the parts of a histogram. */
export const metricsIn = (scrape: string): ReadonlySet<string> =>
  new Set([...scrape.matchAll(/^([a-z_]\w*)(?:\{.*\})? \S+$/gm)].map(([, name = '']) => name))
