import { type Result, readAnnotations, readPlaywrightReport } from '../../bin/check/result.ts'
import { widthsVariable } from '../../e2e/screens.ts'
import { reachedByKeyboard } from '../../e2e/tab-stops.ts'
import { runBrowserTests } from './screens/run-browser-tests.ts'

export const when =
  "a component, a page's layout or a style that several pages share changed; `npm test` looks at two widths"

const everyWidth = ['360', '768', '1280', '1440', '1920', '2560']

/**
 * Looks at each page of `e2e/pages.spec.ts` in each of its states, and at customers' pages in German too: light, dark, with
 * text of twice the size and for somebody who wants no movement. Nothing that axe finds, nothing cut off, nothing that shifts,
 * no message of the console, nothing that the keyboard does not reach.
 * @param words widths in pixels, all by default; names of states, or parts of them, all by default
 */
export default async function runScreens(words: string[]): Promise<Result> {
  const widths = words.filter((word) => /^\d+$/.test(word))
  const names = words.filter((word) => !/^\d+$/.test(word))
  const report = await runBrowserTests(['pages.spec.ts', 'languages.spec.ts'], names, {
    [widthsVariable]: (widths.length > 0 ? widths : everyWidth).join(' '),
  })
  const walks = readAnnotations(report, reachedByKeyboard)
  const controls = walks.reduce((sum, { noted }) => sum + Number(noted), 0)
  const states = new Set(walks.map(({ title }) => title)).size
  console.log(
    `${controls} controls ${reachedByKeyboard} in ${states} states, at all widths in ${walks.length} walks`,
  )
  return readPlaywrightReport(report)
}
