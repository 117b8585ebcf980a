import type { Response } from '@playwright/test'
import { rampartUrl } from './addresses.ts'
import { loadScripts, scriptsOfEmptyPage } from './load-scripts.ts'
import { mostKb } from './page-weight.ts'
import { stateOf } from './people.ts'
import { expect, test } from './test.ts'

/**
 * These two pages have the most JavaScript. The test measures what a browser fetches, since scripts after the load count too
 * and a build does not report them.
 */
for (const path of ['/transactions', '/timeline'])
  test(`${path} fetches at most ${mostKb} KB of scripts beyond an empty page`, async ({ browser }) => {
    const scripts = await loadScripts(browser, stateOf('admin@demo.test'), rampartUrl + path)
    const empty = scriptsOfEmptyPage()
    const beyond = [...(scripts ?? [])].filter(([path]) => !empty.has(path)).map(([, script]) => script)
    expect(beyond.some(({ late }) => late)).toBe(true)
    expect(beyond.reduce((sum, { bytes }) => sum + bytes, 0) / 1024).toBeLessThanOrEqual(mostKb)
  })

test('a page carries nothing that only another one would show', async ({ browser }) => {
  const context = await browser.newContext({ storageState: stateOf('admin@demo.test') })
  const html = await (await context.request.get(`${rampartUrl}/go`)).text()
  expect(html).toContain('Find · Rampart')
  // The page contains neither Next's own pages for refusals nor previews for people who are not signed in.
  for (const other of ['next-error-h1', 'og:image']) expect(html).not.toContain(other)
  await context.close()
})

test('scripts ask to be compiled as they arrive', async ({ page }) => {
  const scripts: Response[] = []
  page.on('response', (response) => {
    if (response.url().endsWith('.js')) scripts.push(response)
  })
  await page.goto('/sign-in', { waitUntil: 'networkidle' })
  const large = (await Promise.all(scripts.map((script) => script.text()))).filter(
    ({ length }) => length > 5_000,
  )
  expect(large.length).toBeGreaterThan(3)
  for (const code of large) expect(code.slice(0, 40)).toMatch(/^\/\/# allFunctionsCalledOnLoad\n/)
})
