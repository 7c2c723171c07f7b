/** Saved searches and facets beside the list. */
import type { CatalogOptions } from '@slipway/contract/catalog/directory.ts';
import { entryStatuses, type EntryStatus } from '@slipway/contract/catalog/entry.ts';
import {
  savedSearchCreate,
  savedSearchDelete,
  savedSearchList,
  type CatalogFacets as FacetCounts,
} from '@slipway/contract/catalog/search.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Bookmark, X } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'react-router';
import * as z from 'zod/mini';
import { paths } from '#entities/paths.ts';
import { call } from '#kit/api/call.ts';
import { useQuery } from '#kit/api/query.ts';
import { reporting } from '#kit/error/global-error.ts';
import { FormDialog } from '#kit/form/FormDialog.tsx';
import { TextField } from '#kit/form/TextField.tsx';
import { useApiForm } from '#kit/form/use-api-form.ts';
import { Facets } from '#kit/list/Facets.tsx';
import { entryLook } from '#features/catalog/catalog-labels.ts';
import css from './CatalogFacets.module.css';
import { allStatuses, type SearchState } from './search-state.ts';

interface Props {
  facets: z.infer<typeof FacetCounts> | null;
  options: CatalogOptions | undefined;
  state: SearchState;
  onChange: (patch: Partial<SearchState>) => void;
  isOpenOnPhone: boolean;
}

const labelsShown = 12;

export function CatalogFacets({ facets, options, state, onChange, isOpenOnPhone }: Props) {
  const countOf = (facet: string, value: string): number | string => {
    const one = facets?.[facet]?.find((item) => item.value === value);
    return one?.isCountAtLeast ? `${one.count.toLocaleString('en')}+` : (one?.count ?? 0);
  };
  const isApplication = state.kind === 'application';
  const optionFacet = (legend: string, facet: 'criticality' | 'classification', list: readonly { id: string; name: string }[] = []) => ({
    legend,
    chosen: state[facet],
    values: isApplication ? list.map(({ id, name }) => ({ value: id, label: name, count: countOf(facet, id) })) : [],
    onChange: (chosen: readonly string[]) => onChange({ [facet]: chosen }),
  });
  return (
    <Facets
      isOpenOnPhone={isOpenOnPhone}
      facets={[
        {
          legend: 'Status',
          chosen: state.status,
          values: entryStatuses
            .filter((status) => status !== 'REJECTED' || countOf('status', status) !== 0)
            .map((value: EntryStatus) => ({
              value,
              label: entryLook[value].word,
              tone: entryLook[value].tone,
              count: countOf('status', value),
            })),
          onChange: (status) => {
            const chosen = status.filter((one) => one !== allStatuses[0]);
            onChange({ status: chosen.length === 0 ? allStatuses : chosen });
          },
        },
        {
          legend: 'Proof',
          chosen: state.proof,
          values: isApplication
            ? [
                { value: 'verified', label: 'Verified', tone: 'ok', count: countOf('verified', 'true') },
                { value: 'unverified', label: 'Not verified', tone: 'warn', count: countOf('verified', 'false') },
              ]
            : [],
          onChange: (proof) => onChange({ proof }),
        },
        optionFacet('Criticality', 'criticality', options?.criticalityCategories),
        optionFacet('Classification', 'classification', options?.informationClassifications),
        {
          legend: 'Label',
          chosen: state.labels,
          values: (facets?.['label'] ?? []).slice(0, labelsShown).map(({ value, name, count }) => ({ value, label: name, count })),
          onChange: (labels) => onChange({ labels }),
        },
      ]}
    >
      <SavedSearches />
    </Facets>
  );
}

function SavedSearches() {
  const { data, mutate } = useQuery(savedSearchList, {}, { pollMs: 0 });
  const { search } = useLocation();
  const [isSaving, setSaving] = useState(false);
  const remove = reporting(async (id: string) => {
    await call(savedSearchDelete, { params: { searchId: id } });
    await mutate();
  });
  return (
    <section className="stack stack-4" aria-labelledby="saved-searches">
      <h2 id="saved-searches" className="meta">
        Saved searches
      </h2>
      <ul className={css.saved}>
        {[{ id: '', name: 'Mine', query: '?owner=me' }, ...(data ?? [])].map(({ id, name, query }) => (
          <li key={id}>
            <Link href={paths.catalog(query)} aria-current={search === query ? 'page' : undefined}>
              {name}
            </Link>
            {id !== '' && (
              <IconButton
                size="sm"
                variant="quiet"
                label={`Delete the saved search ${name}`}
                icon={<X aria-hidden="true" />}
                onClick={() => void remove(id)}
              />
            )}
          </li>
        ))}
      </ul>
      <Button size="sm" variant="quiet" icon={<Bookmark aria-hidden="true" />} onClick={() => setSaving(true)}>
        Save this search
      </Button>
      {isSaving && (
        <SaveDialog
          query={search}
          onClose={() => {
            setSaving(false);
            void mutate();
          }}
        />
      )}
    </section>
  );
}

function SaveDialog({ query, onClose }: { query: string; onClose: () => void }) {
  const form = useApiForm({
    schema: z.pick(savedSearchCreate.body, { name: true }),
    defaultValues: { name: '' },
    labels: { name: 'Name' },
    onSubmit: async ({ name }) => {
      await call(savedSearchCreate, { body: { name, query } });
      onClose();
    },
  });
  return (
    <FormDialog form={form} onClose={onClose} title="Save this search" submitLabel="Save search" busyLabel="Saving">
      <TextField form={form} name="name" hint="Only you see it." />
    </FormDialog>
  );
}
