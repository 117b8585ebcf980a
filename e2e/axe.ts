import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from '@playwright/test'
import type { AxeResults, RunOptions } from 'axe-core'
import { isProof } from './screens.ts'

const source = fs.readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** The rows of a long list are alike, and a dozen takes axe a fraction of the time of fifty. The proof looks at all of them. */
const where = {
  include: [['html']],
  exclude: isProof ? [] : [['tbody > tr:nth-child(n+13)'], ['main li:nth-child(n+13)']],
}

/**
 * axe reports findings with the colours and sizes that it measured. Its script has more than half a megabyte, so a page
 * loads it once. Only the first result of each rule is kept where nothing is wrong.
 */
export async function findWithAxe(page: Page, options: RunOptions): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source)
  return page.evaluate(
    async ([what, how]) => {
      const axe: { readonly run: (what: object, how: RunOptions) => Promise<AxeResults> } = Reflect.get(
        window,
        'axe',
      )
      // Selectors take long to compute and are not reported. No rule that runs here reads style sheets.
      const quick = { resultTypes: ['violations' as const], selectors: false, preload: { assets: ['media'] } }
      const { violations } = await axe.run(what, { ...how, ...quick })
      return violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, any }) => `${id}: ${html} (${any.map(({ message }) => message).join('; ')})`),
      )
    },
    [where, options] as const,
  )
}
