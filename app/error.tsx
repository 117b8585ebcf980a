'use client'

export { StandaloneError as default } from '#components/unexpected-error.tsx'
