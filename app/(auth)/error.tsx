'use client'

export { UnexpectedError as default } from '#components/unexpected-error.tsx'
