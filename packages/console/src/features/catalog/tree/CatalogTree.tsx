/**
 * The catalog as a treegrid. Rows load with their parent, and the address holds the open ones. Arrow keys move, open and close; Enter goes
 * to the entry.
 */
import { catalogOptionsView } from '@slipway/contract/catalog/directory.ts';
import type { EntryKind } from '@slipway/contract/catalog/entry.ts';
import { catalogTreeView, type CatalogTreeNode } from '@slipway/contract/catalog/tree.ts';
import { classNames } from '@slipway/ui/class-names.ts';
import { cssVars } from '@slipway/ui/css-vars.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Skeleton } from '@slipway/ui/feedback/Skeleton.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Checkbox } from '@slipway/ui/form/Checkbox.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Panel, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { AppWindow, Briefcase, ChevronDown, ChevronRight, Layers, Package, type LucideIcon } from 'lucide-react';
import { createContext, use, useState, type KeyboardEvent } from 'react';
import { useNavigate } from 'react-router';
import { paths } from '#entities/paths.ts';
import { useQuery } from '#kit/api/query.ts';
import { ListError } from '#kit/list/ListError.tsx';
import { useUrlState } from '#kit/state/url-state.ts';
import { Owners } from '#features/catalog/entry/Owners.tsx';
import css from './CatalogTree.module.css';
import { toggled, treeState } from './tree-state.ts';

const icons: Readonly<Record<EntryKind, LucideIcon>> = {
  portfolio: Briefcase,
  platform: Layers,
  product: Package,
  application: AppWindow,
};
const treeDefaults = { open: [] as readonly string[], shut: [] as readonly string[], problems: '' };

interface Tree {
  /** The entry whose page shows the tree. */
  current: string | undefined;
  isOpen: (id: string) => boolean;
  toggle: (id: string) => void;
  problems: boolean;
  /** The row in the order of Tab. */
  focused: string | undefined;
  focus: (id: string) => void;
  criticalityOf: (id: string | null) => string;
}
const TreeContext = createContext<Tree | undefined>(undefined);
const useTree = (): Tree => {
  const tree = use(TreeContext);
  if (!tree) throw new Error('A row is outside of the tree');
  return tree;
};

interface CatalogTreeProps {
  title: string;
  /** Id of the top row. Absent for all portfolios. */
  root?: string;
  current?: string;
  /** Entries that are open at first: those above the current one. */
  opened?: readonly string[];
}

export function CatalogTree({ title, root, current, opened = [] }: CatalogTreeProps) {
  const { state, set } = useUrlState(treeDefaults);
  const [focused, setFocused] = useState(current ?? root);
  const { data: options } = useQuery(catalogOptionsView, {}, { pollMs: 0 });
  const problems = state.problems === 'only';
  const tree: Tree = {
    current,
    problems,
    focused,
    focus: setFocused,
    isOpen: (id) => state.open.includes(id) || (opened.includes(id) && !state.shut.includes(id)),
    toggle: (id) => set(toggled(state, opened, id), { replace: true }),
    criticalityOf: (id) => options?.criticalityCategories.find((option) => option.id === id)?.name ?? id ?? 'Not set',
  };
  const onKeyDown = useTreeKeys(tree);
  return (
    <TreeContext value={tree}>
      <Panel aria-labelledby="tree-title">
        <PanelHead title={title} titleId="tree-title">
          <Checkbox
            label="Only with a problem"
            checked={problems}
            onChange={(event) => set({ problems: event.target.checked ? 'only' : '' }, { replace: true })}
          />
        </PanelHead>
        <div className={css.frame}>
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role -- a treegrid is a table whose rows have the focus */}
          <table role="treegrid" aria-labelledby="tree-title" className={css.tree} onKeyDown={onKeyDown}>
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col" className={css.end}>
                  Applications
                </th>
                <th scope="col" className={css.wide}>
                  Criticality
                </th>
                <th scope="col" className={css.wide}>
                  Verified
                </th>
                <th scope="col" className={css.wide}>
                  Owner
                </th>
                <th scope="col">State</th>
              </tr>
            </thead>
            <tbody>{root === undefined ? <Branch depth={1} /> : <Root id={root} />}</tbody>
          </table>
        </div>
      </Panel>
    </TreeContext>
  );
}

const rowsOf = (table: Element): HTMLElement[] => [...table.querySelectorAll<HTMLElement>('tr[data-node]')];

const useTreeKeys = ({ toggle }: Tree) => {
  const navigate = useNavigate();
  return (event: KeyboardEvent<HTMLTableElement>): void => {
    const row = event.target instanceof HTMLElement ? event.target : undefined;
    const { node = '', parent, href = '' } = row?.dataset ?? {};
    if (!row?.matches('tr[data-node]') || event.altKey || event.ctrlKey || event.metaKey) return;
    const rows = rowsOf(event.currentTarget);
    const at = rows.indexOf(row);
    const isOpen = row.getAttribute('aria-expanded');
    const go = (to: HTMLElement | undefined): void => to?.focus();
    const actions: Readonly<Record<string, () => void>> = {
      ArrowDown: () => go(rows[at + 1]),
      ArrowUp: () => go(rows[at - 1]),
      Home: () => go(rows[0]),
      End: () => go(rows.at(-1)),
      ArrowRight: () => (isOpen === 'false' ? toggle(node) : isOpen === 'true' && go(rows[at + 1])),
      ArrowLeft: () => (isOpen === 'true' ? toggle(node) : go(rows.find((one) => one.dataset['node'] === parent))),
      Enter: () => (href === '' ? row.querySelector('button')?.click() : void navigate(href)),
    };
    const act = actions[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };
};

/** The top row of a tree that begins at one entry. */
function Root({ id }: { id: string }) {
  const { problems, isOpen } = useTree();
  const query = useQuery(catalogTreeView, { query: { parent: id, problems } }, { keepPreviousData: true });
  const parent = query.data?.parent;
  if (!parent) return <Waiting query={query} depth={1} />;
  return (
    <>
      <Row node={parent} depth={1} />
      {isOpen(parent.id) && <Branch parent={parent.id} depth={2} />}
    </>
  );
}

/** The children of an entry, page by page. */
function Branch({ parent, depth }: { parent?: string; depth: number }) {
  const [after, setAfter] = useState<readonly (string | undefined)[]>([undefined]);
  return after.map((start, index) => (
    <BranchPage
      key={start ?? ''}
      {...(parent === undefined ? {} : { parent })}
      {...(start === undefined ? {} : { after: start })}
      depth={depth}
      {...(index === after.length - 1 ? { onMore: (next: string) => setAfter([...after, next]) } : {})}
    />
  ));
}

interface PageProps {
  parent?: string;
  after?: string;
  depth: number;
  /** Absent if the next page is shown. */
  onMore?: (next: string) => void;
}
function BranchPage({ parent, after, depth, onMore }: PageProps) {
  const { problems, isOpen } = useTree();
  const query = useQuery(catalogTreeView, { query: { parent, after, problems } }, { keepPreviousData: true });
  if (!query.data) return <Waiting query={query} depth={depth} />;
  const { nodes, next, more } = query.data;
  if (nodes.length === 0 && after === undefined)
    return (
      <tr>
        <td colSpan={6} className={classNames(css.none, css.indented)} style={indent(depth)}>
          {parent === undefined && !problems ? (
            <EmptyState level={3} kind="first-use" title="No portfolio yet">
              Onboard a portfolio. Platforms and applications follow below it.
            </EmptyState>
          ) : problems ? (
            'No entry with a problem.'
          ) : (
            'Nothing below it yet.'
          )}
        </td>
      </tr>
    );
  return (
    <>
      {nodes.map((node) => (
        <NodeRows key={node.id} node={node} depth={depth} parent={parent} isOpen={isOpen(node.id)} />
      ))}
      {next !== null && onMore && <MoreRow parent={parent} depth={depth} more={more} onMore={() => onMore(next)} />}
    </>
  );
}

function NodeRows({ node, depth, parent, isOpen }: { node: CatalogTreeNode; depth: number; parent: string | undefined; isOpen: boolean }) {
  return (
    <>
      <Row node={node} depth={depth} parent={parent} />
      {isOpen && node.hasChildren && <Branch parent={node.id} depth={depth + 1} />}
    </>
  );
}

const indent = (depth: number) => cssVars({ '--steps': depth - 1 });

function Row({ node, depth, parent }: { node: CatalogTreeNode; depth: number; parent?: string | undefined }) {
  const { current, focused, focus, isOpen, toggle, criticalityOf } = useTree();
  const { kind, id, name, below, hasChildren, owners } = node;
  const Icon = icons[kind];
  const open = isOpen(id);
  const href = paths.catalogEntry({ kind, id });
  const look = treeState(node);
  return (
    <tr
      aria-level={depth}
      {...(hasChildren ? { 'aria-expanded': open } : {})}
      {...(id === current ? { 'aria-current': 'page' as const } : {})}
      data-node={id}
      data-parent={parent}
      data-href={href}
      tabIndex={id === focused || (focused === undefined && depth === 1) ? 0 : -1}
      onFocus={() => focus(id)}
      className={classNames(id === current && css.current)}
    >
      <td className={css.indented} style={indent(depth)}>
        <span className={css.name}>
          {hasChildren ? (
            <button
              type="button"
              tabIndex={-1}
              className={css.toggle}
              aria-label={`${open ? 'Close' : 'Open'} ${name}`}
              onClick={() => toggle(id)}
            >
              {open ? <ChevronDown aria-hidden="true" /> : <ChevronRight aria-hidden="true" />}
            </button>
          ) : (
            <span className={css.toggle} />
          )}
          <Icon aria-hidden="true" />
          <Link href={href} tabIndex={-1}>
            {name}
          </Link>
          <code className="quiet">{id}</code>
        </span>
      </td>
      <td className={css.end}>{below?.applications}</td>
      <td className={css.wide}>
        {below
          ? below.mostCritical > 0 && <span className="quiet">{below.mostCritical} most critical</span>
          : criticalityOf(node.criticality)}
      </td>
      <td className={css.wide}>{below && below.applications > 0 && <Share part={below.verified} of={below.applications} />}</td>
      <td className={css.wide}>
        <Owners owners={owners} />
      </td>
      <td>
        <Status tone={look.tone}>{look.word}</Status>
      </td>
    </tr>
  );
}

function Share({ part, of }: { part: number; of: number }) {
  const percent = Math.round((part / of) * 100);
  return (
    <span className={css.share}>
      <span aria-hidden="true" className={css.bar}>
        <span style={{ inlineSize: `${percent}%` }} />
      </span>
      {percent} %
    </span>
  );
}

function MoreRow({ parent, depth, more, onMore }: { parent: string | undefined; depth: number; more: number; onMore: () => void }) {
  const id = `more:${parent ?? ''}`;
  const { focused, focus } = useTree();
  return (
    <tr aria-level={depth} data-node={id} data-parent={parent} tabIndex={id === focused ? 0 : -1} onFocus={() => focus(id)}>
      <td colSpan={6} className={css.indented} style={indent(depth)}>
        <Button
          size="sm"
          variant="quiet"
          tabIndex={-1}
          onClick={(event) => {
            // The row disappears. The focus goes to the row before it.
            const row = event.currentTarget.closest('tr')?.previousElementSibling;
            if (row instanceof HTMLElement) row.focus();
            onMore();
          }}
        >
          {more} more
        </Button>
      </td>
    </tr>
  );
}

function Waiting({ query, depth }: { query: ReturnType<typeof useQuery<typeof catalogTreeView>>; depth: number }) {
  return (
    <tr>
      <td colSpan={6} className={css.indented} style={indent(depth)}>
        {query.error ? <ListError what="entries" query={query} /> : <Skeleton height={16} />}
      </td>
    </tr>
  );
}
