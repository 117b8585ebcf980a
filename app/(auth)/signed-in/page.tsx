import type { Metadata } from 'next'
import { GoOn } from '#components/sign-in/go-on.tsx'

export const metadata: Metadata = { title: { absolute: 'Signed in' } }

interface Props {
  readonly searchParams: Promise<{ readonly next?: string | string[] }>
}

/** Where a sign-in that left this site comes back to. */
export default async function SignedInPage({ searchParams }: Props) {
  const { next } = await searchParams
  return <GoOn next={typeof next === 'string' ? next : null} />
}
