/** The catalog's home: counts, search over the four kinds, facets, saved searches and export. The URL holds the search. */
import { catalogApplicationList } from '@slipway/contract/catalog/application.ts';
import { catalogOptionsView } from '@slipway/contract/catalog/directory.ts';
import { entryKinds, type EntryKind } from '@slipway/contract/catalog/entry.ts';
import { catalogFuzzySearch } from '@slipway/contract/catalog/fuzzy-search.ts';
import { scorecardChecks } from '@slipway/contract/catalog/rules.ts';
import { catalogSearch } from '@slipway/contract/catalog/search.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { SegmentedLinks } from '@slipway/ui/form/Segmented.tsx';
import { count } from '@slipway/ui/format/count.ts';
import { MetricRow } from '@slipway/ui/figures/MetricRow.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { Download, SlidersHorizontal, X } from 'lucide-react';
import { useState } from 'react';
import { paths } from '#entities/paths.ts';
import { send2xx, urlOf } from '#kit/api/call.ts';
import { useQuery } from '#kit/api/query.ts';
import { reportError } from '#kit/error/global-error.ts';
import { FirstUse } from '#kit/list/FirstUse.tsx';
import { useListControl } from '#kit/list/list-control.ts';
import { NewLink } from '#kit/list/NewLink.tsx';
import { ResourceList } from '#kit/list/ResourceList.tsx';
import { PageBody } from '#kit/page/PageBody.tsx';
import { saveFile } from '#kit/save-file.ts';
import { CatalogHeader } from '#features/catalog/CatalogHeader.tsx';
import { checkNames } from '#features/catalog/catalog-labels.ts';
import { entryKindOf } from '@slipway/contract/catalog/entry-kind-of.ts';
import { CatalogFacets } from './CatalogFacets.tsx';
import { entryColumns } from './entry-columns.tsx';
import { kindFilters, kindIn, pageOf, pageSize, searchCall, searchDefaults, searchFilters, type SearchState } from './search-state.ts';

const searchUrl = (entity: EntryKind): string =>
  new URL(urlOf(catalogFuzzySearch, { query: { entity, searchTerm: 'berth' } }), location.origin).href;

export function Component() {
  const { state, set, hrefOf, ...list } = useListControl<SearchState>(searchDefaults, pageSize);
  const isFiltered = Object.entries(searchDefaults).some(
    ([name, value]) => !['kind', 'page', 'sort'].includes(name) && String(value) !== String(state[name as keyof SearchState]),
  );
  // The kind is a tab, not a filter.
  const control = { ...list, state, set, hrefOf, isFiltered, clear: () => set({ ...searchDefaults, kind: state.kind }) };
  const kind = kindIn(state);
  const [areFacetsOpen, setFacetsOpen] = useState(false);
  const [picks, setPicks] = useState<{ kind: EntryKind; ids: readonly string[] }>({ kind, ids: [] });
  // A choice ends with a change of kind.
  const picked = picks.kind === kind ? picks.ids : [];
  const found = useQuery(catalogSearch, searchCall(state), { keepPreviousData: true });
  const { data: options } = useQuery(catalogOptionsView, {}, { pollMs: 0 });
  const kindFacet = found.data?.facets?.['kind'];
  const rows = { ...found, data: found.data && pageOf(found.data), mutate: found.mutate };
  const nameOfOption = (id: string | null) => options?.criticalityCategories.find((option) => option.id === id)?.name ?? id;
  const word = entryKindOf[kind].subject.label.toLowerCase();
  const plural = entryKindOf[kind].subject.plural.toLowerCase();
  const newLink = <NewLink isMain label={`Onboard ${kind === 'application' ? 'an' : 'a'} ${word}`} href={paths.newCatalogEntry(kind)} />;
  const pick = (id: string): void => setPicks({ kind, ids: picked.includes(id) ? picked.filter((one) => one !== id) : [...picked, id] });
  return (
    <>
      <CatalogHeader
        part="Browse"
        actions={
          <>
            <ExportButton state={state} />
            {newLink}
          </>
        }
      />
      <PageBody className="stack stack-24">
        <CatalogCounts />
        <div className="split split-facets">
          <CatalogFacets facets={found.data?.facets ?? null} options={options} state={state} onChange={set} isOpenOnPhone={areFacetsOpen} />
          <div className="stack stack-12">
            <SegmentedLinks
              label="Kind of entry"
              items={entryKinds.map((one) => ({
                label: `${entryKindOf[one].subject.plural}${countIn(kindFacet, one)}`,
                href: hrefOf({ ...kindFilters, kind: one }),
                isCurrent: one === kind,
              }))}
            />
            <HiddenFilters state={state} onChange={set} />
            {found.data?.repairedTerm != null && (
              <p className="meta" role="status">
                Showing results for <strong>{found.data.repairedTerm}</strong>
              </p>
            )}
            <ResourceList
              label={entryKindOf[kind].subject.plural}
              noun={word}
              plural={plural}
              list={rows}
              control={control}
              columns={entryColumns(kind, nameOfOption, { isPicked: (id) => picked.includes(id), onPick: pick })}
              rowKey={({ id }) => id}
              loadingRows={10}
              hasWideSearch
              searchLabel="Name, macId, owner, label or words of the description"
              tools={
                <>
                  {picked.length > 0 && (
                    <LinkButton href={paths.catalogBulk(picked)}>Change {count(picked.length, 'entry', 'entries')}</LinkButton>
                  )}
                  <IconButton
                    className="only-phone"
                    label="Filters"
                    aria-expanded={areFacetsOpen}
                    icon={<SlidersHorizontal aria-hidden="true" />}
                    onClick={() => setFacetsOpen(!areFacetsOpen)}
                  />
                </>
              }
              firstUse={{
                title: `No ${plural} yet`,
                text: (
                  <FirstUse
                    purpose="The catalog says which applications exist, who owns them and how critical they are."
                    label="Scripts find an entry by its name"
                    code={`curl -H "Authorization: Bearer $SLIPWAY_TOKEN" "${searchUrl(kind)}"`}
                  />
                ),
                actions: newLink,
              }}
            />
          </div>
        </div>
      </PageBody>
    </>
  );
}

/** Filters that links set and that no facet shows. Each can be removed. */
function HiddenFilters({ state, onChange }: { state: SearchState; onChange: (patch: Partial<SearchState>) => void }) {
  const check = scorecardChecks.find((one) => one === state.check);
  const filters = [
    { key: 'owner' as const, text: state.owner === 'me' ? 'Owned by me' : `Owner: ${state.owner}` },
    { key: 'platform' as const, text: `Platform: ${state.platform}` },
    { key: 'portfolio' as const, text: `Portfolio: ${state.portfolio}` },
    { key: 'check' as const, text: check ? checkNames[check].fails : '' },
  ].filter(({ key }) => state[key] !== '');
  if (filters.length === 0) return null;
  return (
    <div className="row row-wrap">
      {filters.map(({ key, text }) => (
        <Button
          key={key}
          size="sm"
          icon={<X aria-hidden="true" />}
          aria-label={`Remove the filter ${text}`}
          onClick={() => onChange({ [key]: '' })}
        >
          {text}
        </Button>
      ))}
    </div>
  );
}

const countIn = (facet: readonly { value: string; count: number; isCountAtLeast: boolean }[] | undefined, kind: EntryKind): string => {
  const one = facet?.find(({ value }) => value === kind);
  return one ? ` ${one.count.toLocaleString('en')}${one.isCountAtLeast ? '+' : ''}` : '';
};

function CatalogCounts() {
  const { data } = useQuery(catalogApplicationList, { query: { size: 1 } }, { keepPreviousData: true });
  const verified = useQuery(catalogSearch, { query: { kind: 'application', status: 'ACTIVE', verified: true, size: 1 } }).data;
  const number = (value: number | undefined) => value?.toLocaleString('en') ?? '–';
  const reading = (label: string, info: { active: number; inactive: number; total: number } | undefined, kind: EntryKind) => ({
    label,
    note: `${number(info?.total)} in total`,
    value: number(info?.active),
    unit: 'active',
    href: paths.catalog(kind === 'application' ? '' : `?kind=${kind}`),
  });
  const active = data?.applicationInfo.active ?? 0;
  const share = verified && active > 0 ? Math.round((100 * verified.totalRecords) / active) : undefined;
  return (
    <MetricRow
      label="The catalog in numbers"
      readings={[
        reading('Applications', data?.applicationInfo, 'application'),
        reading('Platforms', data?.platformInfo, 'platform'),
        reading('Portfolios', data?.portfolioInfo, 'portfolio'),
        { label: 'Onboarded', note: '30 days', value: number(data?.appOnboardedCount) },
        {
          label: 'Verified',
          note: number(verified?.totalRecords),
          value: share === undefined ? '–' : share,
          unit: '%',
          href: paths.catalog('?proof=verified'),
        },
      ]}
    />
  );
}

function ExportButton({ state }: { state: SearchState }) {
  const [isBusy, setBusy] = useState(false);
  const save = async (): Promise<void> => {
    setBusy(true);
    try {
      const answer = await send2xx(catalogSearch, { query: searchFilters(state) as never }, { accept: 'text/csv' });
      saveFile(await answer.blob(), `catalog-${kindIn(state)}s.csv`);
      toast.success('The list was saved as CSV');
    } catch (error) {
      reportError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button icon={<Download aria-hidden="true" />} isBusy={isBusy} busyLabel="Exporting" onClick={() => void save()}>
      Export
    </Button>
  );
}
