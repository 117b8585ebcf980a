import 'server-only'
import { setTimeout } from 'node:timers/promises'
import { type ReactNode, Suspense } from 'react'

interface Props {
  readonly content: Promise<ReactNode>
  readonly fallback: ReactNode
}

/** How long a page waits for a part of it, in ms, before it is sent without. */
const patience = 150

/**
 * A part of a page that may take a while: it comes with the page if it is ready at once, and otherwise in the place of a
 * stand-in. React keeps a stand-in for 300 ms when it has shown one, so a quick answer is sooner there without.
 */
export async function Streamed({ content, fallback }: Props) {
  const ready = content.then((node) => ({ node }))
  const inTime = await Promise.race([ready, setTimeout(patience, null, { ref: false })])
  if (inTime) return inTime.node
  return (
    <Suspense fallback={fallback}>
      <Late content={content} />
    </Suspense>
  )
}

const Late = async ({ content }: Pick<Props, 'content'>) => content
