'use client'

import { ExternalLink } from 'lucide-react'
import { Avatar } from '#components/ui/avatar.tsx'
import { useWords } from '#components/ui/browser/words.tsx'
import { Tag } from '#components/ui/pill.tsx'
import type { CodeRequest } from './email-code.ts'

/** The sandbox has its own people: one click sends a code to any of them. */
export function DemoPeople({
  code,
  sandboxUrl,
}: {
  readonly code: CodeRequest
  readonly sandboxUrl: string
}) {
  const words = useWords()
  return (
    <aside
      aria-labelledby="demo-title"
      className="mt-5 rounded-2xl border border-line-strong border-dashed px-gutter py-4 sm:px-7 sm:py-5"
    >
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1.5">
        <h2 id="demo-title" className="flex flex-wrap items-center gap-x-2.5 gap-y-1 text-sm">
          <Tag>Sandbox</Tag>
          <span className="font-label">{words('signIn.demo')}</span>
        </h2>
        <a
          href={new URL('/mailbox', sandboxUrl).href}
          target="_blank"
          rel="noreferrer"
          className="inline-flex items-center gap-1.5 text-muted text-sm underline hover:text-text"
        >
          {words('signIn.allCodes')}
          <ExternalLink className="size-3.5" aria-hidden />
        </a>
      </div>
      <ul className="mt-3 grid gap-2 grid-cols-[repeat(auto-fill,minmax(min(100%,11rem),1fr))]">
        {people.map(({ email, name, may }) => (
          <li key={email}>
            <button
              type="button"
              disabled={code.pending}
              onClick={() => code.request(email)}
              className="flex h-full w-full flex-wrap items-center gap-x-2.5 gap-y-1 rounded-row border border-line-strong bg-surface px-2.5 py-2 text-left transition-colors hover:bg-hover disabled:opacity-60"
            >
              <Avatar name={name} />
              <span className="min-w-0 flex-1 basis-24">
                <span className="wrap-anywhere block font-label text-sm">{email}</span>
                <span className="block text-muted text-xs">{words(may)}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </aside>
  )
}

const people = [
  { email: 'admin@demo.test', name: 'Admin', may: 'signIn.demoAdmin' },
  { email: 'support@demo.test', name: 'Support', may: 'signIn.demoSupport' },
  { email: 'ana@demo.test', name: 'Ana', may: 'signIn.demoUser' },
  { email: 'ben@demo.test', name: 'Ben', may: 'signIn.demoUser' },
  { email: 'cleo@demo.test', name: 'Cleo', may: 'signIn.demoUnverified' },
] as const
