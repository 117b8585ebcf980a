import type { Metadata } from 'next'
import { GoOn } from '#components/identity/sign-in/go-on.tsx'
import { readWords, titleOf } from '../../read-words.ts'

export async function generateMetadata(): Promise<Metadata> {
  const words = await readWords()
  return { title: { absolute: titleOf(words('signIn.signedInMeta')) } }
}

interface Props {
  readonly searchParams: Promise<{ readonly next?: string | string[] }>
}

/** A sign-in that left this site comes back to this page. */
export default async function SignedInPage({ searchParams }: Props) {
  const { next } = await searchParams
  return <GoOn next={typeof next === 'string' ? next : null} />
}
