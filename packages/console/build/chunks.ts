/**
 * Assigns modules to chunks. One chunk per set of pages that share a module would make two hundred files, and a request costs more than
 * a few unused kilobytes. So there is one chunk for the start, one for the list page, where most users begin, and a few for code that
 * pages share. Modules of a single page stay with that page.
 */
interface ModuleInfo {
  readonly importedIds: readonly string[];
}
interface Graph {
  getModuleInfo: (id: string) => ModuleInfo | null;
}

/** Returns the module and everything that it imports statically. */
const closureOf = (entry: string, graph: Graph): Set<string> => {
  const found = new Set<string>();
  const add = (id: string): void => {
    if (found.has(id)) return;
    found.add(id);
    for (const next of graph.getModuleInfo(id)?.importedIds ?? []) add(next);
  };
  add(entry);
  return found;
};

/** Returns `name` for modules that a page imports, directly or not. */
const importedBy = (page: string, name: string) => {
  let closure: Set<string> | undefined;
  return (id: string, graph: Graph): string | null => ((closure ??= closureOf(page, graph)).has(id) ? name : null);
};

const isOurs = (id: string): boolean => /packages\/(ui|contract|console)\/src|node_modules\/(lucide-react|diff)\//.test(id);

/** Packages that only some pages need, lightest first. */
const heavy: readonly (readonly [name: string, modules: RegExp])[] = [
  ['popups', /@floating-ui|@base-ui\/(?!react\/(combobox|select|autocomplete|number-field)\/)/],
  ['choosers', /@base-ui\/react\/(combobox|select|autocomplete|number-field)\//],
  ['forms', /node_modules\/(react-hook-form|@hookform)\//],
  ['yaml', /node_modules\/yaml\//],
  ['editor-view', /node_modules\/(@codemirror\/(view|state)|style-mod|w3c-keyname|crelt|@marijn)\//],
  ['editor', /node_modules\/(@codemirror|@lezer)\//],
];

/** Areas of the console that share much code. */
const areas: readonly (readonly [name: string, folders: RegExp])[] = [
  ['logs', /\/(kit\/log|features\/services\/logs)\//],
  ['secrets', /\/features\/secrets\//],
  ['databases', /\/features\/databases\//],
  ['charts', /\/kit\/chart\//],
  ['streaming', /\/features\/streaming\//],
  ['diff', /\/kit\/diff\/|node_modules\/diff\//],
  ['catalog', /\/(features|contract\/src)\/catalog\//],
  ['flags', /\/features\/flags\/|\/contract\/src\/flag\//],
  ['quickstart', /\/features\/quickstart\//],
  ['services', /\/(features\/services|entities\/diagnosis|entities\/plan)\//],
];

/** Finds the heaviest package that a module imports; undefined if there is none. */
const heaviest = () => {
  const known = new Map<string, string | undefined>();
  return (id: string, graph: Graph): string | undefined => {
    if (!known.has(id)) {
      const all = [...closureOf(id, graph)];
      known.set(id, heavy.findLast(([, modules]) => all.some((one) => modules.test(one)))?.[0]);
    }
    return known.get(id);
  };
};

/** The first matching group takes a module with its imports. Light groups come first, so that they don't pull in heavy packages. */
export const chunkGroups = (source: string) => {
  const heaviestOf = heaviest();
  const ours = (weight: string | undefined) => ({
    name: (id: string, graph: Graph): string | null => {
      if (heaviestOf(id, graph) !== weight) return null;
      const area = areas.find(([, folders]) => folders.test(id))?.[0];
      return [area, weight].filter(Boolean).join('-') || 'common';
    },
    debugName: `ours ${weight ?? 'light'}`,
    test: isOurs,
    minShareCount: 2,
  });
  const groups = [
    { name: 'start', tags: ['$initial' as const] },
    { name: importedBy(`${source}/features/apps/list/AppsPage.tsx`, 'list'), debugName: 'list', minShareCount: 2 },
    ours(undefined),
    ...heavy.flatMap(([name, test]) => [{ name, test }, ours(name)]),
  ];
  return groups.map((group, index) => ({ ...group, priority: groups.length - index }));
};
