import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { endSession } from '../lib/identity/sessions/read-session.ts'

// The process signs somebody out.
const [token = ''] = process.argv.slice(2)
await endSession(token, 'signed-out', { ip: null, userAgent: null })
process.send?.(Date.now())
await prisma().$disconnect()
await pool().end()
