/** Who may import whom: the table of docs/architecture.md, checked by `npm run check`. scripts/boundaries.test.ts plants a violation for each rule. */
const server = '^packages/server/src/';
const foundation = '^packages/foundation/src/';
const engine = '^engines/[^/]+/src/';
const consoleSource = '^packages/console/src/';

const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

export default {
  forbidden: [
    forbid(
      'contract-only-zod',
      'The contract imports zod and nothing else',
      { path: '^packages/contract/src/', pathNot: '\\.test\\.ts$' },
      { pathNot: '^packages/contract/src/|node_modules/zod/' },
    ),
    forbid(
      'ui-knows-no-domain',
      'The design system knows no contract, router or fetch',
      { path: '^packages/ui/src/' },
      { path: '^packages/(contract|console|server|foundation)/|^engines/|node_modules/(react-router|swr|zod)/' },
    ),
    forbid(
      'console-not-server',
      'The console reaches the server over HTTP alone',
      { path: '^packages/console/src/' },
      { path: '^packages/(server|foundation)/|^engines/' },
    ),
    forbid(
      'feature-not-feature',
      'A feature imports no other feature',
      { path: '^packages/console/src/features/([^/]+)/' },
      { path: '^packages/console/src/features/', pathNot: '^packages/console/src/features/$1/' },
    ),
    forbid(
      'feature-not-app',
      'A feature does not import the shell',
      { path: '^packages/console/src/features/' },
      { path: '^packages/console/src/app/' },
    ),
    forbid(
      'entity-not-feature',
      'Entities know no feature and no shell',
      { path: `${consoleSource}entities/` },
      { path: `${consoleSource}(features|app)/` },
    ),
    forbid(
      'entity-by-its-index',
      'An entity reaches another through its index.ts; what lies in entities itself is about all of them',
      { path: `${consoleSource}entities/([^/]+)/`, pathNot: '\\.test\\.tsx?$' },
      { path: `${consoleSource}entities/[^/]+/`, pathNot: `${consoleSource}entities/($1/|[^/]+/index\\.ts$)` },
    ),
    forbid(
      'kit-at-the-bottom',
      'The kit knows no entity, no feature and no shell',
      { path: `${consoleSource}kit/` },
      { path: `${consoleSource}(entities|features|app)/` },
    ),
    forbid(
      'kit-knows-no-domain',
      'Of the contract the kit knows how calls are made, how they fail and how they are announced',
      { path: `${consoleSource}kit/`, pathNot: '\\.test\\.tsx?$' },
      {
        path: '^packages/contract/src/',
        pathNot: '^packages/contract/src/(kernel/(kernel|errors|issues|is-record|fields)|hint|platform)\\.ts$',
      },
    ),
    forbid(
      'kernel-below-modules',
      'Kernel and database know no module and no adapter',
      { path: `${server}(kernel|db)/`, pathNot: '\\.test\\.ts$' },
      { path: `${server}(modules|adapters)/` },
    ),
    forbid(
      'kernel-knows-no-area',
      'Kernel and database read of the contract what every area has in common, not an area; generated table types name what rows hold',
      { path: `${server}(kernel|db)/`, pathNot: `\\.test\\.ts$|${server}db/types\\.ts$` },
      {
        path: '^packages/contract/src/',
        pathNot: '^packages/contract/src/(kernel/(errors|fields|is-record|issues|kernel|near-names|rights|subject)|hint|identity)\\.ts$',
      },
    ),
    forbid(
      'connections-in-one-place',
      'Connections to PostgreSQL are made in one file, where each gets its error listener',
      {
        path: `${server}|${engine}`,
        pathNot: `${server}db/database\\.ts$|^engines/postgres/src/connections\\.ts$|/src/testing/|\\.test\\.ts$`,
      },
      { path: 'node_modules/pg/', dependencyTypesNot: ['type-only'] },
    ),
    forbid(
      'ports-are-interfaces',
      'Ports know no vendor and no code, only types of the contract',
      { path: `${foundation}ports/`, pathNot: '\\.suite[^/]*\\.ts$' },
      { path: `${foundation}(?!ports/)|node_modules/` },
    ),
    forbid(
      'foundation-at-the-bottom',
      'The foundation knows no package but the contract',
      { path: foundation },
      { path: '^packages/|^engines/', pathNot: '^packages/(foundation|contract)/' },
    ),
    forbid(
      'engine-not-platform',
      'An engine stands on the foundation and the contract; the platform uses it, not the other way',
      { path: engine },
      { path: '^packages/', pathNot: '^packages/(foundation|contract)/' },
    ),
    forbid(
      'engine-not-engine',
      'An engine imports no other engine; those that keep rows may use PostgreSQL, and the runtime reads and writes images',
      { path: '^engines/([^/]+)/src/', pathNot: '\\.test\\.ts$' },
      { path: '^engines/', pathNot: '^engines/($1|postgres|images)/' },
    ),
    forbid(
      'engine-only-by-adapter',
      'Modules and kernel speak to ports, never to engines; the database is the PostgreSQL of an engine',
      { path: `${server}(modules|kernel|db)/`, pathNot: '\\.test\\.ts$' },
      { path: '^engines/', pathNot: '^engines/postgres/' },
    ),
    forbid(
      'module-not-adapter',
      'Modules speak to ports, never to adapters',
      { path: `${server}modules/`, pathNot: '\\.test\\.ts$' },
      { path: `${server}adapters/` },
    ),
    forbid(
      'module-by-its-door',
      "Another module's door is its index.ts",
      { path: `${server}modules/([^/]+)/`, pathNot: '\\.test\\.ts$' },
      { path: `${server}modules/`, pathNot: `${server}modules/($1/|[^/]+/index\\.ts$)` },
    ),
    forbid(
      'adapter-not-module',
      'Adapters know no module',
      { path: `${server}adapters/`, pathNot: '\\.test\\.ts$' },
      { path: `${server}modules/` },
    ),
    forbid(
      'adapter-not-adapter',
      'An adapter imports no other adapter',
      { path: `${server}adapters/([^/]+)/`, pathNot: '\\.test\\.ts$' },
      { path: `${server}adapters/`, pathNot: `${server}adapters/$1/` },
    ),
    forbid(
      'agent-stays-small',
      'The node agent runs beside the server: what it imports, its memory holds twice',
      { path: '^engines/runtime/src/(start-)?agent\\.ts$' },
      { path: 'node_modules/(pg|kysely|oidc-provider)/', reachable: true },
    ),
    forbid(
      'e2e-from-outside',
      'End-to-end tests see the product from outside',
      { path: '^e2e/' },
      { path: '^packages/(server|console|ui|foundation)/|^engines/' },
    ),
    forbid('no-cycles', 'No file imports itself in a circle', {}, { circular: true }),
  ],
  options: {
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.css$|/dist/|/templates/' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'default'], mainFields: ['module', 'main'] },
  },
};
