import type { ReactNode } from 'react'
import { CopyButton } from './copy-button.tsx'

/**
 * A body is shown line by line, with its digits as written. A text that is no JSON is shown as it is. The copy is
 * the text as it is given here.
 */
export function JsonView({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div className="relative">
      <section
        aria-label={label}
        // It ends between two lines.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className="max-h-[calc(2px_+_0.75rem_+_24_*_1.6_*_var(--text-xs))] overflow-auto rounded-lg border bg-code"
      >
        <pre className="px-3.5 py-3 pr-12 font-mono text-xs leading-[1.6]">
          <code>{text.length > longestHighlighted || !isJson(text) ? text : setOut(text)}</code>
        </pre>
      </section>
      <span className="absolute top-2 right-2">
        <CopyButton text={text} label="Copy the body" className="bg-code" />
      </span>
    </div>
  )
}

/** A longer text is not coloured, because that would slow the page and nobody reads it by eye. */
const longestHighlighted = 60_000

/** A body may be cut off or no JSON at all, and its gaps belong to it then. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+|"/g

function setOut(text: string): ReactNode[] {
  const tokens = text.match(token) ?? []
  const out: ReactNode[] = []
  let depth = 0
  const line = () => out.push(`\n${'  '.repeat(Math.max(0, depth))}`)
  for (const [at, part] of tokens.entries()) {
    const next = tokens[at + 1]
    if (part === '{' || part === '[') {
      out.push(part)
      depth += 1
      if (next !== '}' && next !== ']') line()
    } else if (part === '}' || part === ']') {
      depth -= 1
      const previous = tokens[at - 1]
      if (previous !== '{' && previous !== '[') line()
      out.push(part)
    } else if (part === ',') {
      out.push(part)
      line()
    } else if (part === ':') {
      out.push(': ')
    } else {
      out.push(
        <span
          key={at}
          className={next === ':' ? 'text-move' : part.startsWith('"') ? 'text-done' : 'text-held'}
        >
          {part}
        </span>,
      )
    }
  }
  return out
}
