'use client'

import { useEffect, useRef, useState } from 'react'

/** Announcements are at least this many milliseconds apart, so that a listener can hear other things between them. */
const quietFor = 20_000

/** The newest words are announced to screen readers, at most a few times a minute however often they change. */
export function Spoken({ words }: { readonly words: string }) {
  const [said, say] = useState(words)
  const next = useRef(0)
  useEffect(() => {
    if (words === said) return
    const timer = setTimeout(() => {
      next.current = performance.now() + quietFor
      say(words)
    }, next.current - performance.now())
    return () => clearTimeout(timer)
  }, [words, said])
  return (
    <span role="status" className="sr-only">
      {said}
    </span>
  )
}

/** Progress is announced at each quarter and at the end. */
export function SpokenQuarters({
  done,
  total,
  words,
}: {
  readonly done: number
  readonly total: number
  readonly words: string
}) {
  const quarter = Math.floor((4 * done) / Math.max(total, 1))
  const [said, setSaid] = useState({ quarter, words })
  if (quarter !== said.quarter) setSaid({ quarter, words })
  return <Spoken words={said.words} />
}
