import { Hono } from 'hono'
import type { Sandbox } from '../sandbox.ts'

export function consoleRoutes(_sandbox: Sandbox) {
  return new Hono()
}
