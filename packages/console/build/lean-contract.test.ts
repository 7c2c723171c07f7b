/** The browser's contract: routes without query and response schemas, and declarations that a bundler can drop. */
import { expect, test } from 'vitest';
import { build, type Rolldown } from 'vite';
import { leanContractPlugin } from './lean-contract.ts';

const contract = '/repository/packages/contract/src/tree.ts';
const source = `
import { object, string } from 'schemas';
import { route } from 'kernel';
export const Tree = object({ name: string() });
export const TreeCreate = object({ name: string(), seed: string() });
export const treeView = route({ id: 'treeView', path: '/trees/{tree}', response: Tree, codes: [] });
export const treeList = route({ id: 'treeList', path: '/trees', query: object({ page: string() }), response: Tree });
export const treeGrow = route('treeGrow', 'POST /trees/{tree}/years', { response: object({ rings: string() }), codes: ['TreeGone'] });
export const wood = (name) => ({ list: route({ id: name, query: object({ bark: string() }), response: Tree }) });
export const treeCreate = route({ id: 'treeCreate', path: '/trees', body: TreeCreate });
export const flagErrors = { TreeTaken: { status: 409, message: 'The tree is taken' }, TreeGone: { status: 404, message: 'No tree' } };
`;

/** Returns the rest of the contract when a page imports these names. */
const built = async (names: string): Promise<string> => {
  const files: Readonly<Record<string, string>> = {
    [contract]: source,
    main: `import { ${names} } from 'contract'; console.log(${names});`,
  };
  const result = (await build({
    configFile: false,
    logLevel: 'silent',
    plugins: [
      { name: 'files', resolveId: (id) => (id === 'contract' ? contract : id in files ? id : null), load: (id) => files[id] ?? null },
      leanContractPlugin(),
    ],
    build: { write: false, minify: false, rolldownOptions: { input: 'main', external: ['schemas', 'kernel'] } },
  })) as Rolldown.RolldownOutput;
  return result.output[0].code;
};

test('a page that reads carries no schema', async () => {
  const code = await built('treeView, treeList');
  expect(code).toContain('/trees/{tree}');
  expect(code).not.toMatch(/object\(|seed|treeCreate/);
});

test('a route in one line carries no schema, nor does one that a function builds', async () => {
  const code = await built('treeGrow, wood');
  expect(code).toMatch(/POST \/trees\/\{tree\}\/years[^]*id: name/);
  expect(code).not.toMatch(/object\(|rings|bark|TreeGone/);
});

test('a form keeps the schema that it checks with, and a route its body', async () => {
  expect(await built('TreeCreate')).toMatch(/seed/);
  const code = await built('treeCreate');
  expect(code).toMatch(/seed/);
  expect(code).not.toContain('treeView');
});

test('the error catalogue keeps its texts without the statuses', async () => {
  const code = await built('flagErrors');
  expect(code).toMatch(/The tree is taken[^]*No tree/);
  expect(code).not.toMatch(/409|404/);
});
