/** Who decides which kind of request. Administrators name the approvers of the catalog. */
import { catalogApproverList, catalogApproversSet } from '@slipway/contract/catalog/directory.ts';
import type { CatalogPerson } from '@slipway/contract/catalog/entry.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Panel, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import type { Column } from '@slipway/ui/list/Table.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { Avatar } from '@slipway/ui/text/Avatar.tsx';
import { Pencil } from 'lucide-react';
import { useState } from 'react';
import * as z from 'zod/mini';
import { useMe } from '#entities/team/me.ts';
import { call } from '#kit/api/call.ts';
import { useQuery } from '#kit/api/query.ts';
import { FormDialog } from '#kit/form/FormDialog.tsx';
import { useApiForm } from '#kit/form/use-api-form.ts';
import { ListPanel } from '#kit/list/ListPanel.tsx';
import { PageBody } from '#kit/page/PageBody.tsx';
import { CatalogHeader } from '#features/catalog/CatalogHeader.tsx';
import { PeopleField } from '#features/catalog/form/PeopleField.tsx';
import css from './ApproversPage.module.css';

const columns: Column<CatalogPerson>[] = [
  {
    key: 'name',
    header: 'Person',
    phone: 'title',
    cell: ({ displayName, active }) => (
      <span className="row">
        <Avatar name={displayName} />
        <strong>{displayName}</strong>
        {!active && <span className="meta">left</span>}
      </span>
    ),
  },
  { key: 'email', header: 'E-mail', phone: 'meta', cell: ({ email }) => <span className="quiet">{email ?? '–'}</span> },
];

/** The rules of the server, in the order of the inbox. */
const rules: readonly (readonly [request: string, deciders: string])[] = [
  ['Onboarding, change of fields, move to another platform, decommissioning', 'Approvers, and administrators'],
  ['Change of owners', 'Approvers, and administrators. An owner adds owners without a request.'],
  ['Data issue', 'Owners of the entry, approvers, and administrators'],
  ['Access to a topic', 'Members of the team that owns the topic'],
  ['Change in production', 'People of the team that owns the app, if the team demands approval; administrators'],
];

export function Component() {
  const approvers = useQuery(catalogApproverList, {}, { pollMs: 0 });
  const { data: me } = useMe();
  const [isOpen, setOpen] = useState(false);
  const reason = me?.isAdministrator === false ? 'Only platform administrators name approvers.' : undefined;
  return (
    <>
      <CatalogHeader
        part="Approvers"
        actions={
          <Button variant="primary" icon={<Pencil aria-hidden="true" />} onClick={() => setOpen(true)} disabledReason={reason}>
            Change approvers
          </Button>
        }
      />
      <PageBody className="stack stack-24">
        <ListPanel
          label="Approvers"
          plural="approvers"
          head={{ title: 'Approvers of the catalog', note: 'Nobody decides their own request' }}
          list={approvers}
          columns={columns}
          rows={approvers.data ?? []}
          rowKey={({ id }) => id}
          loadingRows={3}
          empty={
            <EmptyState level={3} kind="first-use" title="No approvers yet">
              Until an administrator names approvers, only administrators decide requests of the catalog.
            </EmptyState>
          }
        />
        <Panel aria-labelledby="who-decides">
          <PanelHead title="Who decides which request" titleId="who-decides" />
          <dl className={css.rules}>
            {rules.map(([request, deciders]) => (
              <div key={request}>
                <dt>{request}</dt>
                <dd>{deciders}</dd>
              </div>
            ))}
          </dl>
        </Panel>
      </PageBody>
      {isOpen && approvers.data && (
        <ApproversDialog
          approvers={approvers.data}
          onClose={() => {
            setOpen(false);
            void approvers.mutate();
          }}
        />
      )}
    </>
  );
}

function ApproversDialog({ approvers, onClose }: { approvers: CatalogPerson[]; onClose: () => void }) {
  const form = useApiForm({
    schema: z.object({ approvers: z.array(z.string()) }),
    defaultValues: { approvers: approvers.map(({ id }) => id) },
    labels: { approvers: 'Approvers' },
    onSubmit: async (body) => {
      await call(catalogApproversSet, { body });
      toast.success('The approvers were saved');
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title="Change approvers"
      description="Approvers decide the requests of the catalog and change its labels. Their pending requests stay with the others."
      submitLabel="Save approvers"
      busyLabel="Saving"
    >
      <PeopleField form={form} name="approvers" people={approvers} />
    </FormDialog>
  );
}
