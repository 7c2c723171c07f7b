/** The fields of an entry of any kind. */
import { catalogOptionsView } from '@slipway/contract/catalog/directory.ts';
import type { CatalogPerson, EntryKind } from '@slipway/contract/catalog/entry.ts';
import { platformTypes } from '@slipway/contract/catalog/platform.ts';
import { portfolioTypes } from '@slipway/contract/catalog/portfolio.ts';
import { productTypes } from '@slipway/contract/catalog/product.ts';
import { catalogSearch } from '@slipway/contract/catalog/search.ts';
import { useId, useState, type ReactNode } from 'react';
import { useController } from 'react-hook-form';
import { useQuery } from '#kit/api/query.ts';
import { ComboboxField, SelectField, SwitchField } from '#kit/form/ChoiceFields.tsx';
import { TextareaField, TextField } from '#kit/form/TextField.tsx';
import type { ApiForm } from '#kit/form/use-api-form.ts';
import { typeNames } from '#features/catalog/catalog-labels.ts';
import type { EntryValues } from './entry-values.ts';
import { PeopleField } from './PeopleField.tsx';

interface Props {
  form: ApiForm<EntryValues>;
  kind: EntryKind;
  people: readonly CatalogPerson[];
  /** Entries that the form already names, so that their names are shown before a search. */
  parents?: readonly { id: string; name: string }[];
  /** Fields whose change needs an approval. None for a new entry, which needs one anyway. */
  gated?: readonly string[];
}

const choices = (values: readonly string[]) => values.map((value) => ({ value, label: typeNames[value] ?? value }));

export function EntryFields({ form, kind, people, parents = [], gated = [] }: Props) {
  const note = (field: string): { labelNote?: string } => (gated.includes(field) ? { labelNote: 'needs an approval' } : {});
  return (
    <>
      <Section title="What it is">
        <TextField
          form={form}
          name="name"
          hint="As people say it, without the team or the technology. 3 to 80 characters."
          {...note('name')}
        />
        <TextareaField form={form} name="description" hint="Who uses it, for what, and what stops when it stops. 20 to 500 characters." />
        {kind === 'application' && <ApplicationKind form={form} />}
        {kind === 'product' && <TextField form={form} name="productCode" hint="2 to 12 capital letters, digits and dashes." />}
        {kind === 'portfolio' && (
          <TextField form={form} name="shortName" hint="2 to 8 capital letters. Made from the initials if empty." {...note('shortName')} />
        )}
        {kind === 'platform' && <SelectField form={form} name="platformType" options={choices(platformTypes)} />}
        {kind === 'portfolio' && <SelectField form={form} name="portfolioType" options={choices(portfolioTypes)} />}
        {kind === 'product' && <SelectField form={form} name="productType" options={choices(productTypes)} />}
      </Section>
      {kind !== 'portfolio' && (
        <Section title="Where it belongs">
          <ParentField form={form} kind={kind === 'platform' ? 'portfolio' : 'platform'} parents={parents} {...note('parent')} />
        </Section>
      )}
      <Section title={kind === 'application' ? 'Owners and risk' : 'Owners'}>
        <PeopleField form={form} name="owners" people={people} />
        {kind === 'portfolio' && <PeopleField form={form} name="eaContacts" people={people} />}
        {kind === 'application' && <RiskFields form={form} note={note} />}
      </Section>
      <TextareaField
        form={form}
        name="requestComment"
        rows={2}
        labelNote="optional"
        hint="At least 10 characters. The approvers see it with the request."
      />
    </>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section className="stack stack-24" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

function ApplicationKind({ form }: Pick<Props, 'form'>) {
  const { field } = useController({ control: form.control, name: 'locallyManaged' });
  return (
    <>
      <SwitchField form={form} name="productionDeployed" onLabel="People use it in production" />
      <SwitchField
        form={form}
        name="locallyManaged"
        onLabel="It runs outside of Slipway"
        hint={field.value ? 'An owner confirms once a year that the entry is still true.' : 'A linked app proves the entry by what runs.'}
      />
      <SwitchField form={form} name="explorationApp" onLabel="An exploration, gone within six months" />
    </>
  );
}

function RiskFields({ form, note }: { form: Props['form']; note: (field: string) => { labelNote?: string } }) {
  const { data } = useQuery(catalogOptionsView, {}, { pollMs: 0 });
  const options = (list: readonly { id: string; name: string }[] = []) => [
    { value: '', label: 'Not set' },
    ...list.map(({ id, name }) => ({ value: id, label: name })),
  ];
  return (
    <>
      <SelectField form={form} name="criticalityId" options={options(data?.criticalityCategories)} {...note('criticalityId')} />
      <SelectField form={form} name="classificationId" options={options(data?.informationClassifications)} {...note('classificationId')} />
      <SelectField form={form} name="mipLayerId" options={options(data?.mipLayers)} labelNote="optional" />
      <SelectField form={form} name="strategicIntentId" options={options(data?.strategicIntents)} labelNote="optional" />
      <TextField form={form} name="targetDecommissioningDate" type="date" labelNote="optional" hint="Choose tomorrow or a later date." />
    </>
  );
}

interface ParentProps {
  form: Props['form'];
  kind: 'platform' | 'portfolio';
  parents: readonly { id: string; name: string }[];
  labelNote?: string;
}

function ParentField({ form, kind, parents, labelNote }: ParentProps) {
  const [text, setText] = useState('');
  const query = { kind, status: 'ACTIVE', size: 25, ...(text.trim() === '' ? {} : { app: text.trim() }) };
  const found = useQuery(catalogSearch, { query }, { keepPreviousData: true, pollMs: 0 });
  const options = (found.data?.content ?? []).map(({ id, name, portfolioName }) => ({ value: id, label: name, note: portfolioName ?? id }));
  const known = parents
    .filter(({ id }) => options.every(({ value }) => value !== id))
    .map(({ id, name }) => ({ value: id, label: name, note: id }));
  return (
    <ComboboxField
      form={form}
      name={kind === 'platform' ? 'platformId' : 'portfolioId'}
      labelNote={labelNote}
      searchLabel={`Search ${kind}s`}
      placeholder={`Choose a ${kind}`}
      emptyText={`No active ${kind} fits`}
      isLoading={found.isLoading}
      onSearch={setText}
      options={[...options, ...known]}
    />
  );
}
