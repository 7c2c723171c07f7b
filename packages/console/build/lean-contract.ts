/**
 * Strips from the contract what a browser does not use. The console trusts the server's answers: it needs a route's method, path and id,
 * but not its query and response schemas. Without these, and with every declaration marked as free of side effects, the bundler drops
 * each schema that no form checks, and zod on pages without forms.
 */
import type { Plugin } from 'vite';

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const isContract = (id: string): boolean => /\/packages\/contract\/src\/(?:[\w-]+\/)?[\w.-]+\.ts$/.test(id);
const leftOut: ReadonlySet<unknown> = new Set(['query', 'response', 'summary', 'tag', 'codes']);

/** Removes the fields of `route(id, path, { … })` that only the server and OpenAPI read. */
const routeEdits = (call: Node, isLeftOut = (name: unknown): boolean => leftOut.has(name)): Edit[] => {
  const shape = (call['arguments'] as Node[]).at(-1);
  if ((call['callee'] as Node)['name'] !== 'route' || shape?.type !== 'ObjectExpression') return [];
  const properties = shape['properties'] as Node[];
  return properties.flatMap((property, index) => {
    if (property.type !== 'Property' || !isLeftOut((property['key'] as Node)['name'])) return [];
    return [{ start: property.start, end: properties[index + 1]?.start ?? property.end, text: '' }];
  });
};

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;
/** Functions that build routes, as that of the five routes of a resource, also read the codes of what they built. */
const isLeftOutNested = (name: unknown): boolean => name !== 'codes' && leftOut.has(name);
const nestedRouteEdits = (value: unknown): Edit[] => {
  if (Array.isArray(value)) return value.flatMap(nestedRouteEdits);
  if (!isNode(value)) return [];
  return [
    ...(value.type === 'CallExpression' ? routeEdits(value, isLeftOutNested) : []),
    ...Object.values(value).flatMap(nestedRouteEdits),
  ];
};

/** Removes the status of each code in `errors/`: the console reads it from the response. */
const catalogueEdits = (catalogue: Node): Edit[] =>
  (catalogue['properties'] as Node[]).flatMap((entry) => {
    const [status, message] = (entry['value'] as Node)['properties'] as Node[];
    return status && message && (status['key'] as Node)['name'] === 'status' ? [{ start: status.start, end: message.start, text: '' }] : [];
  });

/** Bundlers treat a call at module level as a side effect, so each call is wrapped in a function marked as pure. */
const pureEdits = ({ start, end }: Node): Edit[] => [
  { start, end: start, text: '/*#__PURE__*/(() => ' },
  { start: end, end, text: ')()' },
];

const editsOf = (program: Node): Edit[] =>
  (program['body'] as Node[]).flatMap((statement) => {
    const declaration = (statement.type === 'ExportNamedDeclaration' ? statement['declaration'] : statement) as Node | null;
    if (declaration?.type !== 'VariableDeclaration') return [];
    return (declaration['declarations'] as Node[]).flatMap(({ id, init }) => {
      const value = init as Node | null;
      if (/^\w+Errors$/.test(String((id as Node)['name'])) && value?.type === 'ObjectExpression') return catalogueEdits(value);
      if (value?.type === 'ArrowFunctionExpression') return nestedRouteEdits(value['body']);
      return value && /^(Call|New)Expression$/.test(value.type)
        ? [...(value.type === 'CallExpression' ? routeEdits(value) : []), ...pureEdits(value)]
        : [];
    });
  });

export const leanContract = (code: string, program: Node): string =>
  editsOf(program)
    .toSorted((a, b) => b.start - a.start || b.end - a.end)
    .reduce((text, { start, end, text: put }) => text.slice(0, start) + put + text.slice(end), code);

export const leanContractPlugin = (): Plugin => ({
  name: 'lean-contract',
  // Runs after the types are stripped.
  enforce: 'post',
  transform(code, id) {
    if (!isContract(id)) return null;
    return { code: leanContract(code, this.parse(code) as unknown as Node), map: null };
  },
});
