/** Changes owners and labels of many entries. The preview sorts them: at once, by request, left out with the reason. */
import { catalogBulkChange } from '@slipway/contract/catalog/application.ts';
import { catalogLabelList } from '@slipway/contract/catalog/directory.ts';
import { RequestComment, type EntryKind } from '@slipway/contract/catalog/entry.ts';
import type { ErrorCode } from '@slipway/contract/kernel/errors.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { count } from '@slipway/ui/format/count.ts';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Panel } from '@slipway/ui/layout/Panel.tsx';
import { Table, type Column } from '@slipway/ui/list/Table.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useState } from 'react';
import { useWatch } from 'react-hook-form';
import { useSearchParams } from 'react-router';
import * as z from 'zod/mini';
import { paths } from '#entities/paths.ts';
import { call } from '#kit/api/call.ts';
import { useQuery } from '#kit/api/query.ts';
import { useWrite } from '#kit/api/write.ts';
import { reporting } from '#kit/error/global-error.ts';
import { messageFor } from '#kit/error/messages.ts';
import { CheckboxesField } from '#kit/form/ChoiceFields.tsx';
import { PageForm } from '#kit/form/PageForm.tsx';
import { TextareaField } from '#kit/form/TextField.tsx';
import { useApiForm } from '#kit/form/use-api-form.ts';
import { PlainPage } from '#kit/page/PlainPage.tsx';
import { entryKindOf } from '@slipway/contract/catalog/entry-kind-of.ts';
import { PeopleField } from '#features/catalog/form/PeopleField.tsx';

const ids = z.array(z.string());
const schema = z.object({
  addOwners: ids,
  removeOwners: ids,
  addLabels: ids,
  removeLabels: ids,
  requestComment: z.union([z.literal(''), RequestComment]),
});
type Values = z.infer<typeof schema>;
type Outcome = z.infer<typeof catalogBulkChange.response>[number];

const kindsById: Readonly<Record<string, EntryKind>> = { MAC: 'application', PLT: 'platform', PFO: 'portfolio', PRD: 'product' };
const refOf = (id: string): { kind: EntryKind; id: string } => ({ kind: kindsById[id.slice(0, 3)] ?? 'application', id });

const groupNames: Readonly<Record<Outcome['outcome'], string>> = {
  LEFT_OUT: 'Left out',
  REQUESTED: 'By request',
  DONE: 'At once',
};
const columns: Column<Outcome>[] = [
  {
    key: 'name',
    header: 'Entry',
    phone: 'title',
    cell: ({ kind, id, name }) => <Link href={paths.catalogEntry({ kind, id })}>{name ?? id}</Link>,
  },
  { key: 'id', header: 'Id', phone: 'meta', cell: ({ id }) => <code className="quiet">{id}</code> },
  {
    key: 'why',
    header: 'What happens',
    phone: 'extra',
    cell: ({ kind, code, requestId }) => (
      <span className="quiet">
        {code ? (
          messageFor(code as ErrorCode, { kind: entryKindOf[kind].subject.label.toLowerCase() })
        ) : requestId ? (
          <Link href={paths.requests(requestId)}>{requestId}</Link>
        ) : (
          '–'
        )}
      </span>
    ),
  },
];

export function Component() {
  const [search] = useSearchParams();
  const entries = search.getAll('id').map(refOf);
  return (
    <PlainPage
      name={`Change ${count(entries.length, 'entry', 'entries')}`}
      title={['Change many', 'Catalog']}
      lede="Slipway changes each entry on its own. A refused entry does not stop the others."
    >
      {entries.length === 0 ? (
        <Panel aria-label="Entries">
          <EmptyState level={2} kind="first-use" title="No entries are chosen">
            Choose them in the <Link href={paths.catalog()}>catalog</Link>.
          </EmptyState>
        </Panel>
      ) : (
        <BulkForm entries={entries} />
      )}
    </PlainPage>
  );
}

function BulkForm({ entries }: { entries: { kind: EntryKind; id: string }[] }) {
  const { data: labels = [] } = useQuery(catalogLabelList, {}, { pollMs: 0 });
  const [plan, setPlan] = useState<{ values: Values; outcomes: Outcome[]; isDone: boolean }>();
  const write = useWrite(catalogBulkChange);
  const inputOf = ({ requestComment, ...values }: Values, dryRun: boolean) => ({
    query: { dryRun },
    body: { entries, ...values, ...(requestComment === '' ? {} : { requestComment }) },
  });
  const form = useApiForm<Values, Values>({
    schema,
    defaultValues: { addOwners: [], removeOwners: [], addLabels: [], removeLabels: [], requestComment: '' },
    labels: {
      addOwners: 'Add owners',
      removeOwners: 'Remove owners',
      addLabels: 'Add labels',
      removeLabels: 'Remove labels',
      requestComment: 'Comment for the approvers',
    },
    onSubmit: async (values) => setPlan({ values, outcomes: await call(catalogBulkChange, inputOf(values, true)), isDone: false }),
  });
  const change = reporting(async () => {
    if (!plan) return;
    const outcomes = await write.send(inputOf(plan.values, false));
    setPlan({ ...plan, outcomes, isDone: true });
    toast.success(
      `${count(outcomes.filter(({ outcome }) => outcome !== 'LEFT_OUT').length, 'entry', 'entries')} changed or waiting for approval`,
    );
  });
  // The preview belongs to the values that it was made of.
  const now = useWatch({ control: form.control });
  const isCurrent = plan !== undefined && JSON.stringify(now) === JSON.stringify(plan.values);
  const options = labels.filter(({ archived }) => !archived).map(({ id, name }) => ({ value: id, label: name }));
  return (
    <PageForm
      form={form}
      label="Change many entries"
      submitLabel="Preview"
      busyLabel="Loading the preview"
      cancelHref={paths.catalog()}
      aside={
        plan &&
        isCurrent && (
          <section className="stack stack-12" aria-label="Preview" role="status">
            <Panel aria-label="What happens">
              <Table
                label="What happens"
                columns={columns}
                rowKey={({ id }) => id}
                groups={(['LEFT_OUT', 'REQUESTED', 'DONE'] as const)
                  .map((outcome) => ({
                    key: outcome,
                    label: groupNames[outcome],
                    rows: plan.outcomes.filter((one) => one.outcome === outcome),
                  }))
                  .filter(({ rows }) => rows.length > 0)}
              />
            </Panel>
            {!plan.isDone && (
              <Button
                variant="primary"
                isBusy={write.isBusy}
                busyLabel="Changing"
                {...(plan.outcomes.every(({ outcome }) => outcome === 'LEFT_OUT')
                  ? { disabledReason: 'Every entry would be left out.' }
                  : {})}
                onClick={() => void change()}
              >
                Change {count(plan.outcomes.filter(({ outcome }) => outcome !== 'LEFT_OUT').length, 'entry', 'entries')}
              </Button>
            )}
          </section>
        )
      }
    >
      <PeopleField form={form} name="addOwners" people={[]} />
      <PeopleField form={form} name="removeOwners" people={[]} />
      <CheckboxesField form={form} name="addLabels" options={options} />
      <CheckboxesField form={form} name="removeLabels" options={options} />
      <TextareaField form={form} name="requestComment" labelNote="optional" />
    </PageForm>
  );
}
