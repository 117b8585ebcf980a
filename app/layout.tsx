import './globals.css'
import '#components/ui/shared/unexpected-error.tsx'
import type { Metadata, Viewport } from 'next'
import localFont from 'next/font/local'
import type { ReactNode } from 'react'
import { parseTheme, themeCookie } from '#components/ui/browser/theme.ts'
import { WordsProvider } from '#components/ui/browser/words.tsx'
import { parseZone, zoneCookie } from '#components/ui/clock.ts'
import { TimeZone } from '#components/ui/time-zone.tsx'
import { readChoice, readLanguage } from '#lib/identity/sessions/read-request.ts'
import { env } from '#lib/platform/env.ts'
import { clientMessages } from '#lib/words/catalogues.ts'
import { whatItIs } from './read-words.ts'

// For every `error.tsx` below, each of which would bring it along once more: here it comes once.

/**
 * Loaded with the page, and left out of this one page where it comes late: text that changed its font would move. Letters that
 * it lacks come from the package's other files, by `globals.css`.
 */
const inter = localFont({
  src: '../node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2',
  weight: '100 900',
  display: 'optional',
  adjustFontFallback: false,
  variable: '--font-inter',
})

/** Read at request time: the public address is a setting, not part of a build. */
export function generateMetadata(): Metadata {
  return {
    metadataBase: env().publicUrl,
    title: { default: 'Rampart', template: '%s · Rampart' },
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
 * Theme, time zone and language come from cookies, so the very first paint is right and no script is needed for that. The
 * words given here are those of what all pages have; customers’ pages give theirs besides.
 */
export default async function RootLayout({ children }: { readonly children: ReactNode }) {
  const language = await readLanguage()
  return (
    <html lang={language} className={inter.variable} data-theme={parseTheme(await readChoice(themeCookie))}>
      <body>
        <WordsProvider language={language} messages={clientMessages(language, ['ui', 'form', 'sessions'])}>
          <TimeZone kept={parseZone(await readChoice(zoneCookie))}>{children}</TimeZone>
        </WordsProvider>
      </body>
    </html>
  )
}
