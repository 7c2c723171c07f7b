/** Saved groups of an app: lists of values that rules of flags refer to. */
import {
  FlagGroupCreate,
  flagGroupCreate,
  flagGroupDelete,
  flagGroupList,
  flagGroupUpdate,
  type FlagGroup,
} from '@slipway/contract/flag/flag-group.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import type { Column } from '@slipway/ui/list/Table.tsx';
import { Menu } from '@slipway/ui/overlay/Menu.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { Ellipsis, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import * as z from 'zod/mini';
import { refresh } from '#entities/changes/refresh.ts';
import { useAppPlace } from '#entities/team/use-app-place.ts';
import { useQuery } from '#kit/api/query.ts';
import { useWrite } from '#kit/api/write.ts';
import { confirmAction } from '#kit/confirm/confirm-action.ts';
import { disabledUnless } from '#kit/error/messages.ts';
import { FormDialog } from '#kit/form/FormDialog.tsx';
import { TextareaField, TextField } from '#kit/form/TextField.tsx';
import { useApiForm } from '#kit/form/use-api-form.ts';
import { ListPanel } from '#kit/list/ListPanel.tsx';
import { usePageTitle } from '#kit/page/page-title.ts';
import { rowActions } from '#kit/list/columns.tsx';

export function Component() {
  const { app, env } = useAppPlace();
  const list = useQuery(flagGroupList, { params: { app }, query: { size: 100 } });
  /** `new`, or the group that is edited. */
  const [edited, setEdited] = useState<FlagGroup | 'new'>();
  const remove = useWrite(flagGroupDelete);
  usePageTitle(['Saved groups', app, env]);
  const groups = list.data?.content ?? [];
  const newButton = <Button onClick={() => setEdited('new')}>New saved group</Button>;
  const columns: Column<FlagGroup>[] = [
    { key: 'name', header: 'Name', phone: 'title', cell: ({ name }) => <strong>{name}</strong> },
    { key: 'values', header: 'Values', phone: 'meta', cell: ({ values, attribute }) => `${values.length} of ${attribute}` },
    { key: 'flags', header: 'Used by', phone: 'extra', cell: ({ flags }) => (flags.length === 0 ? 'No flag' : flags.join(', ')) },
    {
      key: 'changed',
      header: 'Last change',
      phone: 'end',
      cell: ({ updatedAt, updatedBy }) => (
        <>
          {updatedBy.displayName}, <RelativeTime at={updatedAt} isShort />
        </>
      ),
    },
    {
      ...rowActions,
      phone: 'action',
      cell: (group) => (
        <Menu
          trigger={<IconButton size="sm" label={`More actions for ${group.name}`} icon={<Ellipsis aria-hidden="true" />} />}
          items={[
            {
              label: 'Edit group',
              icon: <Pencil aria-hidden="true" />,
              onSelect: () => setEdited(group),
              ...disabledUnless(group.can, 'update'),
            },
            'line',
            {
              label: 'Delete group',
              icon: <Trash2 aria-hidden="true" />,
              isDanger: true,
              ...disabledUnless(group.can, 'delete'),
              onSelect: () =>
                confirmAction({
                  title: `Delete ${group.name}?`,
                  confirmLabel: `Delete ${group.name}`,
                  busyLabel: 'Deleting',
                  run: async () => {
                    await remove.send({ params: { app, group: group.name } });
                    toast.success(`${group.name} is deleted`);
                    await refresh({ kind: 'flagGroup', app });
                  },
                }),
            },
          ]}
        />
      ),
    },
  ];
  return (
    <>
      <ListPanel
        label="Saved groups"
        plural="saved groups"
        list={list}
        head={{ title: 'Saved groups', note: 'For both environments', children: groups.length > 0 && newButton }}
        columns={columns}
        rows={groups}
        rowKey={({ name }) => name}
        empty={
          <EmptyState kind="first-use" level={2} title="No saved groups yet" actions={newButton}>
            A saved group is a list of people or other values. Rules of several flags refer to it, and a change of the list reaches all of
            them.
          </EmptyState>
        }
      />
      {edited && <GroupDialog app={app} group={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />}
    </>
  );
}

const { shape } = FlagGroupCreate;
const schema = (isNew: boolean) =>
  z.object({
    name: isNew ? shape.name : z.string(),
    attribute: z.string().check(z.regex(/^[A-Za-z_][\w.-]{0,63}$/, { error: 'DoesNotMatchPattern' })),
    description: z.string().check(z.trim(), z.maxLength(300, { error: 'ExceedsMaximumLength' })),
    values: z.string(),
  });

function GroupDialog({ app, group, onClose }: { app: string; group: FlagGroup | undefined; onClose: () => void }) {
  const create = useWrite(flagGroupCreate);
  const update = useWrite(flagGroupUpdate);
  const form = useApiForm({
    schema: schema(!group),
    defaultValues: {
      name: group?.name ?? '',
      attribute: group?.attribute ?? 'id',
      description: group?.description ?? '',
      values: group?.values.join('\n') ?? '',
    },
    labels: { name: 'Name', attribute: 'Attribute', description: 'Description', values: 'Values' },
    onSubmit: async ({ name, attribute, description, values: text }) => {
      const values = text
        .split('\n')
        .map((one) => one.trim())
        .filter((one) => one !== '');
      if (group) await update.send({ params: { app, group: group.name }, body: { description, values } });
      else await create.send({ params: { app }, body: { name, attribute, description, values } });
      toast.success(`${name} is saved`);
      onClose();
      await refresh({ kind: 'flagGroup', app });
    },
  });
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={group ? `Edit ${group.name}` : 'New saved group'}
      submitLabel={group ? 'Save group' : 'Create group'}
      busyLabel="Saving"
    >
      {!group && <TextField form={form} name="name" spellCheck={false} autoCapitalize="off" />}
      {!group && (
        <TextField form={form} name="attribute" spellCheck={false} hint="Attribute of the person that is looked up in the list." />
      )}
      <TextField form={form} name="description" labelNote="optional" />
      <TextareaField form={form} name="values" rows={8} hint="One value a line." />
    </FormDialog>
  );
}
