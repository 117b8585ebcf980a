import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from '@playwright/test'
import type { AxeResults, RunOptions } from 'axe-core'

const source = fs.readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/**
 * What axe finds on a page, with the colours and sizes that it saw. It is more than half a megabyte: a page is given it
 * once, however often it is looked at. The first answer of each rule is enough where nothing is wrong.
 */
export async function findWithAxe(page: Page, options: RunOptions): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source)
  return page.evaluate(async (how) => {
    const axe: { readonly run: (where: Document, how: RunOptions) => Promise<AxeResults> } = Reflect.get(
      window,
      'axe',
    )
    // A way to find each element takes long to work out, and is not told; no rule that is asked for reads style sheets.
    const quick = { resultTypes: ['violations' as const], selectors: false, preload: { assets: ['media'] } }
    const { violations } = await axe.run(document, { ...how, ...quick })
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, any }) => `${id}: ${html} (${any.map(({ message }) => message).join('; ')})`),
    )
  }, options)
}
