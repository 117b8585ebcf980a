import fs from 'node:fs'
import path from 'node:path'
import { chromium } from '@playwright/test'
import { findWithAxe } from './axe.ts'

// The program takes pictures of /design, which only `npm run dev` has: `node bin/command.mjs e2e/photograph-design.ts
// [ADDRESS] [FOLDER]`. It exits with 1 when axe finds something, or when a piece is wider than the page.
const [address = 'http://localhost:3000', folder = 'test-results/design'] = process.argv.slice(2)
fs.mkdirSync(folder, { recursive: true })
const executablePath = process.env.CHROMIUM_PATH
const browser = await chromium.launch({
  args: ['--no-sandbox'],
  ...(executablePath ? { executablePath } : {}),
})
const faults: string[] = []
try {
  for (const { width, fontSize, colorScheme } of [
    { width: 1440, fontSize: '100%', colorScheme: 'light' },
    { width: 1440, fontSize: '100%', colorScheme: 'dark' },
    { width: 390, fontSize: '100%', colorScheme: 'light' },
    { width: 390, fontSize: '200%', colorScheme: 'dark' },
  ] as const) {
    const page = await (await browser.newContext({ viewport: { width, height: 900 } })).newPage()
    await page.emulateMedia({ reducedMotion: 'reduce', colorScheme })
    await page.goto(new URL('/design', address).href, { timeout: 120_000 })
    await page.locator('section').first().waitFor()
    await page.evaluate((size) => document.documentElement.style.setProperty('font-size', size), fontSize)
    await page.screenshot({
      path: path.join(folder, `design-${width}-${fontSize}-${colorScheme}.png`),
      fullPage: true,
    })
    const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    if (sideways > 0) faults.push(`${width} px, text at ${fontSize}: ${sideways} px too wide`)
    const found = await findWithAxe(page, { runOnly: ['wcag2a', 'wcag2aa', 'wcag22aa'] })
    faults.push(...found.map((fault) => `${width} px, ${colorScheme}: ${fault}`))
  }
} finally {
  await browser.close()
}
for (const fault of faults) console.error(fault)
console.log(`Pictures are in ${folder}.`)
process.exitCode = faults.length > 0 ? 1 : 0
