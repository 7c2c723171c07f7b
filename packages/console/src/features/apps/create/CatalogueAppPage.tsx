/** Creates an app from an entry of the application catalog: find the entry, review it, name the app. */
import { catalogFuzzySearch, type CatalogMatch } from '@slipway/contract/catalog/fuzzy-search.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Panel } from '@slipway/ui/layout/Panel.tsx';
import { SearchInput } from '@slipway/ui/form/SearchInput.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { cellMain, type Column } from '@slipway/ui/list/Table.tsx';
import { useQuery } from '#kit/api/query.ts';
import { toName } from '#entities/service/NameHint.tsx';
import { ListError } from '#kit/list/ListError.tsx';
import { ListPanel } from '#kit/list/ListPanel.tsx';
import { PlainPage } from '#kit/page/PlainPage.tsx';
import { paths } from '#entities/paths.ts';
import { useUrlState, type UrlStateControl, useSearchText } from '#kit/state/url-state.ts';
import { AppForm } from './AppForm.tsx';
import { CatalogueReview, entryLook } from './CatalogueReview.tsx';

const defaults = { query: '', macId: '' };
type Control = UrlStateControl<typeof defaults>;
const longestName = 40;

/** Turns a title into a valid app name: "Berth planner 2" → `berth-planner-2`. */
export const nameFrom = (title: string): string =>
  toName(title)
    .replace(/[^a-z0-9-]+/g, '')
    .replace(/-{2,}/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, longestName)
    .replace(/-$/, '');

const columnsFor = (hrefOf: Control['hrefOf']): Column<CatalogMatch>[] => [
  {
    key: 'name',
    header: 'Application',
    phone: 'title',
    cell: (entry) =>
      entry.app === null && entry.status === 'ACTIVE' ? (
        <Link className={cellMain} href={hrefOf({ macId: entry.id })}>
          {entry.name}
        </Link>
      ) : (
        <strong>{entry.name}</strong>
      ),
  },
  { key: 'macId', header: 'macId', phone: 'meta', cell: (entry) => <code>{entry.id}</code> },
  { key: 'platform', header: 'Platform', cell: (entry) => <span className="quiet">{entry.platformName}</span> },
  { key: 'description', header: 'Description', cell: (entry) => <span className="quiet">{entry.description}</span> },
  {
    key: 'status',
    header: 'Status',
    phone: 'status',
    cell: (entry) => <Status tone={entryLook[entry.status].tone}>{entryLook[entry.status].word}</Status>,
  },
  { key: 'app', header: 'App', align: 'end', phone: 'end', cell: (entry) => <Taken entry={entry} hrefOf={hrefOf} /> },
];

/** Shows the link that chooses a catalog entry, or why the entry cannot be chosen. */
function Taken({ entry, hrefOf }: { entry: CatalogMatch; hrefOf: Control['hrefOf'] }) {
  if (entry.app !== null) return <Link href={paths.app({ app: entry.app })}>{entry.app}</Link>;
  if (entry.status !== 'ACTIVE') return <span className="meta">not active</span>;
  return (
    <LinkButton size="sm" href={hrefOf({ macId: entry.id })} aria-label={`Choose ${entry.name}`}>
      Choose
    </LinkButton>
  );
}

export function Component() {
  const control = useUrlState(defaults);
  const { macId } = control.state;
  return (
    <PlainPage name="From the catalog" lede="The application is already registered. Take its name and macId from its entry.">
      {macId === '' ? <Search control={control} /> : <Chosen macId={macId} control={control} />}
    </PlainPage>
  );
}

function Search({ control: { state, set, hrefOf } }: { control: Control }) {
  const [text, setText] = useSearchText(state.query, (query) => set({ query }, { replace: true }));
  const found = useQuery(catalogFuzzySearch, { query: { searchTerm: state.query } }, { keepPreviousData: true, pollMs: 0 });
  return (
    <div className="stack stack-12">
      <SearchInput hasShortcut label="Find an entry by name or macId" value={text} onChange={setText} />
      <ListPanel
        label="Catalog entries, best match first"
        plural="catalog entries"
        list={found}
        columns={columnsFor(hrefOf)}
        rows={found.data?.contents ?? []}
        rowKey={(entry) => entry.id}
        loadingRows={6}
        empty={
          <EmptyState
            level={2}
            kind={state.query === '' ? 'first-use' : 'no-match'}
            title={state.query === '' ? 'The catalog has no entries yet' : `No entry matches “${state.query}”`}
            actions={
              state.query === '' ? (
                <LinkButton href={paths.newAppBlank()}>Create a blank app</LinkButton>
              ) : (
                <Button onClick={() => set({ query: '' })}>Clear the filter</Button>
              )
            }
          >
            An app does not need an entry: its macId can be set later.
          </EmptyState>
        }
      />
    </div>
  );
}

function Chosen({ macId, control }: { macId: string; control: Control }) {
  const found = useQuery(catalogFuzzySearch, { query: { searchTerm: macId } }, { pollMs: 0 });
  const entry = found.data?.contents.find((item) => item.id === macId);
  const back = control.hrefOf({ macId: '' });
  if (found.error && !found.data) {
    return (
      <Panel aria-label="Catalog entry">
        <ListError what="catalog entry" query={found} />
      </Panel>
    );
  }
  if (!found.data) return null;
  if (!entry) {
    return (
      <Panel aria-label="Catalog entry">
        <EmptyState
          level={2}
          kind="no-match"
          title={`The catalog has no entry ${macId}`}
          actions={<LinkButton href={back}>Search again</LinkButton>}
        />
      </Panel>
    );
  }
  return (
    <AppForm key={macId} isMacIdFixed initial={{ id: nameFrom(entry.name), displayName: entry.name, teamId: '', macId: entry.id }}>
      <CatalogueReview entry={entry} back={back} />
    </AppForm>
  );
}
