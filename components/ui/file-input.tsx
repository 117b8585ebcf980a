import type { ComponentProps } from 'react'

/** The input takes a file from the reader's own device. */
export const FileInput = (props: Omit<ComponentProps<'input'>, 'type' | 'className'>) => (
  <input
    {...props}
    type="file"
    className="block w-full min-w-0 rounded-lg border border-line-control bg-surface p-2 text-sm file:mr-3 file:rounded-md file:border-0 file:bg-hover file:px-3 file:py-1.5 file:font-label"
  />
)
