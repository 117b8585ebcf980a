'use client'

import { X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { buttonClass } from '#components/ui/button.tsx'
import { Kbd } from '#components/ui/kbd.tsx'

/** The list of all keys is open for as long as it is drawn. */
export function KeysList({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog
      ref={dialog}
      onClose={onClose}
      data-makes-way
      aria-labelledby="keys-title"
      className="m-auto w-[26rem] max-w-[calc(100vw-2rem)] rounded-xl bg-raised p-5 text-text shadow-float backdrop:bg-overlay open:animate-float"
    >
      <div className="mb-3 flex items-center justify-between">
        <h2 id="keys-title" className="font-heading text-lg">
          Keys
        </h2>
        <form method="dialog">
          <button
            type="submit"
            aria-label="Close"
            className={buttonClass({ variant: 'ghost', size: 'sm', square: true })}
          >
            <X aria-hidden />
          </button>
        </form>
      </div>
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-5 gap-y-2.5 text-sm">
        {keys.map(([names, meaning]) => (
          <div key={meaning} className="contents">
            <dt className="flex gap-1">
              {names.map((name) => (
                <Kbd key={name}>{name}</Kbd>
              ))}
            </dt>
            <dd className="text-muted">{meaning}</dd>
          </div>
        ))}
      </dl>
    </dialog>
  )
}

const keys: readonly (readonly [readonly string[], string])[] = [
  [['Ctrl', 'K'], 'Find anything, go anywhere, do something (Mac: Cmd K)'],
  [['/'], 'Search this page; where it has no search, the same as Ctrl K'],
  [['Ctrl', 'V'], 'With nothing focused: search for what is pasted (Mac: Cmd V)'],
  [['j', 'k'], 'Next row, row before; on an open transaction they open it'],
  [['Enter'], 'Open the row'],
  [['Right', 'Left'], 'To the buttons of the row, and back'],
  [['Esc'], 'Close, or back to the list; in a search, clear, then leave'],
  [['?'], 'This list'],
]
