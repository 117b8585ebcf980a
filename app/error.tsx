'use client'

export { StandaloneError as default } from '#components/ui/shared/unexpected-error.tsx'
