import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from '@playwright/test'
import type { AxeResults, RunOptions } from 'axe-core'

const source = fs.readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/**
 * axe reports findings with the colours and sizes that it measured. Its script has more than half a megabyte, so a page
 * loads it once. Only the first result of each rule is kept where nothing is wrong.
 */
export async function findWithAxe(page: Page, options: RunOptions): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source)
  return page.evaluate(async (how) => {
    const axe: { readonly run: (where: Document, how: RunOptions) => Promise<AxeResults> } = Reflect.get(
      window,
      'axe',
    )
    // Selectors take long to compute and are not reported. No rule that runs here reads style sheets.
    const quick = { resultTypes: ['violations' as const], selectors: false, preload: { assets: ['media'] } }
    const { violations } = await axe.run(document, { ...how, ...quick })
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, any }) => `${id}: ${html} (${any.map(({ message }) => message).join('; ')})`),
    )
  }, options)
}
