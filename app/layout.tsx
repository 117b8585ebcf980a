import './globals.css'
import '#components/ui/shared/unexpected-error.tsx'
import type { Metadata, Viewport } from 'next'
import localFont from 'next/font/local'
import type { ReactNode } from 'react'
import { parseTheme, themeCookie } from '#components/ui/browser/theme.ts'
import { WordsProvider } from '#components/ui/browser/words.tsx'
import { parseTimes, zoneCookie } from '#components/ui/clock.ts'
import { TimeZone } from '#components/ui/time.tsx'
import { readChoice, readLanguage } from '#lib/identity/sessions/read-request.ts'
import { env } from '#lib/platform/env.ts'
import type { Environment, EnvironmentColor } from '#lib/platform/rules/environment.ts'
import type { Tone } from '#lib/words/labels/tone.ts'
import { clientMessages } from '#lib/words/sentences.ts'
import { titleOf, whatItIs } from './read-words.ts'

// `unexpected-error.tsx` is imported above for every `error.tsx`, so that it loads once and not with each of them.

/**
 * The font loads with the page. A page for which it arrives too late goes without it, because text that changes its
 * font would move. `globals.css` gives missing letters from the package's other files.
 */
const inter = localFont({
  src: '../node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2',
  weight: '100 900',
  display: 'optional',
  adjustFontFallback: false,
  variable: '--font-inter',
})

/** The metadata is made for each request, because the public address is a setting and not part of a build. */
export function generateMetadata(): Metadata {
  return {
    metadataBase: env().publicUrl,
    title: { default: titleOf('Rampart'), template: titleOf('%s · Rampart') },
    description: whatItIs,
    robots: { index: false, follow: false },
    icons: {
      icon: [
        { url: '/icon.svg', type: 'image/svg+xml' },
        { url: '/favicon.ico', sizes: '64x64' },
      ],
    },
  }
}

export const viewport: Viewport = {
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: '#fafaf8' },
    { media: '(prefers-color-scheme: dark)', color: '#0e0f10' },
  ],
}

/**
 * Cookies give the theme, the time zone and the language, so the first paint is right without a script. The words
 * here are those of all pages; customers’ pages add theirs.
 */
export default async function RootLayout({ children }: { readonly children: ReactNode }) {
  const language = await readLanguage()
  const { environment } = env()
  return (
    <html lang={language} className={inter.variable} data-theme={parseTheme(await readChoice(themeCookie))}>
      <body>
        {environment && <EnvironmentMark environment={environment} />}
        <WordsProvider language={language} messages={clientMessages(language, ['ui', 'form', 'sessions'])}>
          <TimeZone kept={parseTimes(await readChoice(zoneCookie))}>{children}</TimeZone>
        </WordsProvider>
      </body>
    </html>
  )
}

/** A stripe with the name stays at the top of every page, so that two installations differ at a glance. Decision 0151. */
function EnvironmentMark({ environment: { name, color } }: { readonly environment: Environment }) {
  return (
    <aside
      aria-label="Environment"
      data-tone={tones[color]}
      className="pointer-events-none fixed inset-x-0 top-0 z-50 flex h-1 justify-center bg-tone print:hidden"
    >
      <p className="h-fit rounded-b-md bg-tone px-2.5 font-strong text-bg text-xs leading-tight">{name}</p>
    </aside>
  )
}

const tones = {
  grey: 'wait',
  blue: 'move',
  orange: 'held',
  green: 'done',
  red: 'fail',
  violet: 'back',
} as const satisfies Record<EnvironmentColor, Tone>
