/** The labels of the catalog. Approvers create, change and archive them. */
import { catalogLabelCreate, catalogLabelList, catalogLabelUpdate, type CatalogLabel } from '@slipway/contract/catalog/directory.ts';
import { Tag } from '@slipway/ui/feedback/Tag.tsx';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import type { Column } from '@slipway/ui/list/Table.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import * as z from 'zod/mini';
import { paths } from '#entities/paths.ts';
import { call } from '#kit/api/call.ts';
import { useQuery } from '#kit/api/query.ts';
import { reportError } from '#kit/error/global-error.ts';
import { FormDialog } from '#kit/form/FormDialog.tsx';
import { TextField } from '#kit/form/TextField.tsx';
import { useApiForm } from '#kit/form/use-api-form.ts';
import { ListPanel } from '#kit/list/ListPanel.tsx';
import { PageBody } from '#kit/page/PageBody.tsx';
import { CatalogHeader, useAuthority } from '#features/catalog/CatalogHeader.tsx';

type Label = z.infer<typeof CatalogLabel>;

export function Component() {
  const labels = useQuery(catalogLabelList, {}, { pollMs: 0 });
  const { isApprover } = useAuthority();
  const [edited, setEdited] = useState<Label | 'new'>();
  const reason = isApprover ? undefined : 'Only approvers can change labels.';
  const archive = async ({ id, name, archived }: Label): Promise<void> => {
    try {
      await call(catalogLabelUpdate, { params: { labelId: id }, body: { archived: !archived } });
      toast.success(`${name} was ${archived ? 'put back' : 'archived'}`);
      await labels.mutate();
    } catch (error) {
      reportError(error);
    }
  };
  const columns: Column<Label>[] = [
    {
      key: 'name',
      header: 'Label',
      phone: 'title',
      cell: ({ id, name }) => (
        <Link href={paths.catalog(`?labels=${encodeURIComponent(id)}`)}>
          <Tag>{name}</Tag>
        </Link>
      ),
    },
    {
      key: 'description',
      header: 'Meaning',
      phone: 'meta',
      cell: ({ description }) => <span className="quiet">{description || '–'}</span>,
    },
    {
      key: 'properties',
      header: 'Properties',
      isRoomy: true,
      cell: ({ properties }) => (
        <span className="quiet">
          {Object.entries(properties)
            .map(([name, value]) => `${name}: ${value}`)
            .join(', ') || '–'}
        </span>
      ),
    },
    {
      key: 'actions',
      header: 'Actions',
      isHeaderHidden: true,
      align: 'end',
      phone: 'action',
      cell: (label) => (
        <span className="row">
          <Button size="sm" variant="quiet" aria-label={`Edit ${label.name}`} disabledReason={reason} onClick={() => setEdited(label)}>
            Edit
          </Button>
          <Button
            size="sm"
            variant="quiet"
            aria-label={`${label.archived ? 'Put back' : 'Archive'} ${label.name}`}
            disabledReason={reason}
            onClick={() => void archive(label)}
          >
            {label.archived ? 'Put back' : 'Archive'}
          </Button>
        </span>
      ),
    },
  ];
  const rows = labels.data ?? [];
  const newLabel = (
    <Button variant="primary" icon={<Plus aria-hidden="true" />} disabledReason={reason} onClick={() => setEdited('new')}>
      New label
    </Button>
  );
  return (
    <>
      <CatalogHeader part="Labels" actions={newLabel} />
      <PageBody className="stack stack-24">
        <ListPanel
          label="Labels"
          plural="labels"
          list={labels}
          columns={columns}
          {...(rows.length === 0
            ? { rows: [] }
            : {
                groups: [
                  { key: 'used', label: 'In use', rows: rows.filter(({ archived }) => !archived) },
                  { key: 'archived', label: 'Archived', rows: rows.filter(({ archived }) => archived) },
                ].filter((group) => group.rows.length > 0),
              })}
          rowKey={({ id }) => id}
          empty={
            <EmptyState level={2} kind="first-use" title="No labels yet">
              Labels group entries across platforms: customer-facing, gdpr, sox.
            </EmptyState>
          }
        />
      </PageBody>
      {edited !== undefined && (
        <LabelDialog
          {...(edited === 'new' ? {} : { label: edited })}
          onClose={() => {
            setEdited(undefined);
            void labels.mutate();
          }}
        />
      )}
    </>
  );
}

function LabelDialog({ label, onClose }: { label?: Label; onClose: () => void }) {
  const form = useApiForm({
    schema: z.pick(catalogLabelCreate.body, { name: true, description: true }),
    defaultValues: { name: label?.name ?? '', description: label?.description ?? '' },
    labels: { name: 'Name', description: 'Meaning' },
    onSubmit: async (body) => {
      if (label) await call(catalogLabelUpdate, { params: { labelId: label.id }, body });
      else await call(catalogLabelCreate, { body: { ...body, properties: {} } });
      toast.success(`${body.name} was saved`);
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={label ? `Edit ${label.name}` : 'New label'}
      submitLabel="Save label"
      busyLabel="Saving"
    >
      <TextField form={form} name="name" hint="Letters, digits and dashes, 2 to 40 characters." />
      <TextField form={form} name="description" labelNote="optional" />
    </FormDialog>
  );
}
