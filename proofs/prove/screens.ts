import { type Result, readAnnotations, readPlaywrightReport } from '../../bin/check/result.ts'
import { widthsVariable } from '../../e2e/screens.ts'
import { reachedByKeyboard } from '../../e2e/tab-stops.ts'
import { runBrowserTests } from './slow.ts'

export const when =
  "a component, a page's layout or a style that several pages share changed; `npm test` looks at two widths"

const everyWidth = ['360', '768', '1280', '1440', '1920', '2560']

/**
 * The proof checks each page of `e2e/pages.spec.ts` in each state, with customers' pages in German too: light, dark, with
 * large text and reduced motion. axe finds nothing, nothing is cut off or shifts, the console is silent, and the keyboard
 * reaches everything.
 * @param words widths in pixels, all by default; names of states, or parts of them, all by default
 */
export default async function runScreens(words: string[]): Promise<Result> {
  const widths = words.filter((word) => /^\d+$/.test(word))
  const names = words.filter((word) => !/^\d+$/.test(word))
  const only = names.length > 0 ? ['-g', names.join('|')] : []
  const report = await runBrowserTests('playwright', ['--project=pages', 'pages.spec.ts', ...only], {
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
