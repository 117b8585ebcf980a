'use client'

import { clsx } from 'clsx'
import { Check } from 'lucide-react'
import { DropdownMenu as Radix } from 'radix-ui'
import type { ComponentProps, ReactNode } from 'react'

/** A menu under a button; arrows move in it, Escape closes it. */
export function Menu({
  trigger,
  align = 'end',
  children,
}: {
  readonly trigger: ReactNode
  readonly align?: 'start' | 'end'
  readonly children: ReactNode
}) {
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align={align}
          sideOffset={6}
          collisionPadding={8}
          className="z-50 min-w-52 animate-float rounded-xl bg-raised p-1.5 text-sm shadow-float"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

export function MenuItem({
  danger = false,
  className,
  ...rest
}: ComponentProps<typeof Radix.Item> & { readonly danger?: boolean }) {
  return <Radix.Item className={clsx(itemClass, danger && 'text-fail', className)} {...rest} />
}

/** One of several choices, the chosen one ticked. */
export function MenuChoices({
  value,
  onChange,
  choices,
}: {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly choices: readonly { readonly value: string; readonly label: ReactNode }[]
}) {
  return (
    <Radix.RadioGroup value={value} onValueChange={onChange}>
      {choices.map((choice) => (
        <Radix.RadioItem
          key={choice.value}
          value={choice.value}
          onSelect={(event) => event.preventDefault()}
          className={itemClass}
        >
          {choice.label}
          <Radix.ItemIndicator className="ml-auto">
            <Check aria-hidden />
          </Radix.ItemIndicator>
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  )
}

export function MenuLabel({ children }: { readonly children: ReactNode }) {
  return <Radix.Label className="px-2 pt-1.5 pb-1 text-faint text-xs">{children}</Radix.Label>
}

export function MenuSeparator() {
  return <Radix.Separator className="-mx-1.5 my-1.5 h-px bg-line" />
}

const itemClass =
  'flex min-h-8 cursor-pointer select-none items-center gap-2 rounded-md px-2 outline-none ' +
  'data-[highlighted]:bg-hover data-[disabled]:text-faint [&_svg]:size-4 [&_svg]:text-muted'
