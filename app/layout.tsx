import './globals.css'
import type { Metadata, Viewport } from 'next'
import { cookies } from 'next/headers'
import type { ReactNode } from 'react'
import { parseTheme, themeCookie } from '#components/theme.ts'
import { Toaster } from '#components/ui/toaster.tsx'

export const metadata: Metadata = {
  title: { default: 'Rampart', template: '%s · Rampart' },
  robots: { index: false, follow: false },
}

export const viewport: Viewport = {
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: '#fafaf8' },
    { media: '(prefers-color-scheme: dark)', color: '#0e0f10' },
  ],
}

/** The chosen theme comes from a cookie, so the very first paint has it and no script is needed for that. */
export default async function RootLayout({ children }: { readonly children: ReactNode }) {
  const theme = parseTheme((await cookies()).get(themeCookie)?.value)
  return (
    <html lang="en" data-theme={theme}>
      <body>
        {children}
        <Toaster />
      </body>
    </html>
  )
}
