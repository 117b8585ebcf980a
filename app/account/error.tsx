'use client'

export { UnexpectedError as default } from '#components/ui/shared/unexpected-error.tsx'
