import path from 'node:path'
import ts from 'typescript'

/** A declared column. */
export interface DeclaredColumn {
  /** For example `string`, `Date` or `number[]`; `any` for `unknown`. */
  readonly kinds: ReadonlySet<string>
  readonly nullable: boolean
  readonly optional: boolean
}

/** A call in the sources that runs a statement. */
export interface StatementCall {
  readonly file: string
  readonly line: number
  /** The statement, as the call names it. */
  readonly argument: string
  readonly start: number
  readonly end: number
  /** `forwarded`: the type is a parameter, and the caller of this function declares it. */
  readonly row: ReadonlyMap<string, DeclaredColumn> | 'forwarded' | 'undeclared' | 'not read'
}

/** The calls of a file, and the position of a place in it, counted from 1. */
export interface SourceCalls {
  readonly calls: readonly StatementCall[]
  positionOf(line: number, column: number): number
}

/** Finds what these files of the repository declare about the rows of their statements. */
export function findStatementCalls(root: string, files: readonly string[]): ReadonlyMap<string, SourceCalls> {
  const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
  const paths = files.map((file) => path.join(root, file))
  const program = ts.createProgram(paths, { ...options, incremental: false })
  const checker = program.getTypeChecker()
  const callsOf = (file: string): [string, SourceCalls] => {
    const source = program.getSourceFile(path.join(root, file))
    if (!source) throw new Error(`There is no file ${file}`)
    const calls: StatementCall[] = []
    const visit = (node: ts.Node) => {
      if (ts.isCallExpression(node)) {
        const row = rowOf(node, checker)
        if (row) {
          const { line } = source.getLineAndCharacterOfPosition(node.expression.getEnd())
          const argument = (node.arguments[0]?.getText() ?? '').replace(/\s+|\$(?=\{)/g, ' ').slice(0, 40)
          // An asynchronous frame has the place of `await`.
          const start = (ts.isAwaitExpression(node.parent) ? node.parent : node).getStart()
          calls.push({ file, line: line + 1, argument, start, end: node.getEnd(), row: declared(row, node) })
        }
      }
      ts.forEachChild(node, visit)
    }
    visit(source)
    const positionOf = (line: number, column: number) =>
      source.getPositionOfLineAndCharacter(line - 1, column - 1)
    return [file, { calls, positionOf }]
  }
  return new Map(files.map(callsOf))

  function declared(row: ts.Type, call: ts.CallExpression): StatementCall['row'] {
    if (row.flags & ts.TypeFlags.TypeParameter) return 'forwarded'
    // Rows of several shapes have the columns of each of them.
    const shapes = (row.isUnion() ? row.types : [row]).map(
      (shape) => new Map(shape.getProperties().map((one) => [one.name, checker.getTypeOfSymbol(one)])),
    )
    const names = new Set(shapes.flatMap((shape) => [...shape.keys()]))
    if (names.size === 0) return readsRows(call) ? 'undeclared' : 'not read'
    return new Map(
      [...names].map((name) => {
        const kinds = new Set(
          shapes
            .map((shape) => shape.get(name))
            .flatMap((type) => (type ? kindsOf(type, checker) : ['null'])),
        )
        const optional = kinds.delete('undefined')
        const nullable = kinds.delete('null') || kinds.has('any')
        return [name, { kinds, nullable, optional }]
      }),
    )
  }
}

/** The type of one row, where a call answers with a `QueryResult` or is a `query<Row>` that answers with rows. */
function rowOf(call: ts.CallExpression, checker: ts.TypeChecker): ts.Type | undefined {
  const { expression } = call
  const name = ts.isPropertyAccessExpression(expression) ? expression.name.text : expression.getText()
  if (!/query/i.test(name)) return undefined
  const answer = checker.getAwaitedType(checker.getTypeAtLocation(call))
  if (!answer) return undefined
  const rows = answer.getProperty('rows')
  if (rows && answer.getProperty('fields')) return elementOf(checker.getTypeOfSymbol(rows), checker)
  return call.typeArguments ? elementOf(answer, checker) : undefined
}

const elementOf = (type: ts.Type, checker: ts.TypeChecker): ts.Type | undefined =>
  checker.isArrayLikeType(type) ? checker.getIndexTypeOfType(type, ts.IndexKind.Number) : undefined

/** Answers whether somebody uses more of an answer than that it came and how many rows it has. */
function readsRows(call: ts.CallExpression): boolean {
  let node: ts.Node = call
  const isPassedOn = ({ parent }: ts.Node): boolean =>
    ts.isAwaitExpression(parent) ||
    ts.isParenthesizedExpression(parent) ||
    (ts.isCallExpression(parent) && parent.expression === node) ||
    (ts.isPropertyAccessExpression(parent) && /^(catch|finally)$/.test(parent.name.text))
  while (isPassedOn(node)) node = node.parent
  const { parent } = node
  if (ts.isExpressionStatement(parent) || ts.isVoidExpression(parent)) return false
  if (ts.isPropertyAccessExpression(parent)) return parent.name.text !== 'rowCount'
  if (!ts.isVariableDeclaration(parent) || !ts.isObjectBindingPattern(parent.name)) return true
  return parent.name.elements.some(({ name }) => name.getText() === 'rows')
}

const primitives: readonly [ts.TypeFlags, string][] = [
  [ts.TypeFlags.Null, 'null'],
  [ts.TypeFlags.Undefined, 'undefined'],
  [ts.TypeFlags.Any | ts.TypeFlags.Unknown, 'any'],
  [ts.TypeFlags.StringLike, 'string'],
  [ts.TypeFlags.NumberLike, 'number'],
  [ts.TypeFlags.BigIntLike, 'bigint'],
  [ts.TypeFlags.BooleanLike, 'boolean'],
]

function kindsOf(type: ts.Type, checker: ts.TypeChecker): string[] {
  if (type.isUnion()) return type.types.flatMap((one) => kindsOf(one, checker))
  const primitive = primitives.find(([flags]) => type.flags & flags)
  if (primitive) return [primitive[1]]
  // A text with a mark on its type stays a text.
  if (type.isIntersection()) return type.types.flatMap((one) => kindsOf(one, checker)).slice(0, 1)
  const element = elementOf(type, checker)
  if (element) return kindsOf(element, checker).map((kind) => `${kind}[]`)
  const name = type.symbol?.name
  if (name === 'Uint8Array') return ['Buffer']
  return [name === 'Date' || name === 'Buffer' ? name : 'object']
}
