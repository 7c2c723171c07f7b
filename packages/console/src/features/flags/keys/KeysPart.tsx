/** Client keys of an environment, each with a program that uses it. */
import {
  FlagKeyCreate,
  flagKeyCreate,
  flagKeyDelete,
  flagKeyList,
  flagKeyModes,
  flagKeyRotate,
  type FlagKey,
} from '@slipway/contract/flag/flag-key.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { Segmented } from '@slipway/ui/form/Segmented.tsx';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import type { Column } from '@slipway/ui/list/Table.tsx';
import { Menu } from '@slipway/ui/overlay/Menu.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { CodeBlock } from '@slipway/ui/text/CodeBlock.tsx';
import { Copy } from '@slipway/ui/text/Copy.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { Ellipsis, RotateCw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import * as z from 'zod/mini';
import { refresh } from '#entities/changes/refresh.ts';
import { useAppPlace } from '#entities/team/use-app-place.ts';
import { useQuery } from '#kit/api/query.ts';
import { useWrite } from '#kit/api/write.ts';
import { confirmAction } from '#kit/confirm/confirm-action.ts';
import { disabledUnless } from '#kit/error/messages.ts';
import { SelectField } from '#kit/form/ChoiceFields.tsx';
import { FormDialog } from '#kit/form/FormDialog.tsx';
import { TextField } from '#kit/form/TextField.tsx';
import { useApiForm } from '#kit/form/use-api-form.ts';
import { ListPanel } from '#kit/list/ListPanel.tsx';
import { usePageTitle } from '#kit/page/page-title.ts';
import { rowActions } from '#kit/list/columns.tsx';
import type { FlagPlace } from '../flag-labels.ts';
import { languages, snippetOf, type Language } from './snippets.ts';

const modeLabels: Readonly<Record<FlagKey['mode'], string>> = {
  PLAIN: 'Plain: clients get the rules',
  ENCRYPTED: 'Encrypted: clients decrypt the rules',
  REMOTE: 'Remote: the server evaluates',
};

export function Component() {
  const { app, env = 'development' } = useAppPlace();
  const place = { app, env };
  const list = useQuery(flagKeyList, { params: place, query: { size: 100 } });
  const [isMaking, setMaking] = useState(false);
  const [chosen, setChosen] = useState<string>();
  usePageTitle(['Client keys', app, env]);
  const keys = list.data?.content ?? [];
  const shown = keys.find(({ name }) => name === chosen) ?? keys[0];
  const newButton = <Button onClick={() => setMaking(true)}>New client key</Button>;
  return (
    <>
      <ListPanel
        label="Client keys"
        plural="client keys"
        list={list}
        head={{ title: `Client keys of ${env}`, children: keys.length > 0 && newButton }}
        columns={columnsOf(place, setChosen)}
        rows={keys}
        rowKey={({ name }) => name}
        empty={
          <EmptyState kind="first-use" level={2} title={`No client keys in ${env}`} actions={newButton}>
            An SDK names a client key to get the flags of one environment. The key is no secret. An encrypted or remote key keeps the rules
            from readers.
          </EmptyState>
        }
      />
      {shown && <Snippets flagKey={shown} />}
      {isMaking && <KeyDialog place={place} onClose={() => setMaking(false)} onMade={setChosen} />}
    </>
  );
}

const columnsOf = (place: FlagPlace, onChoose: (name: string) => void): Column<FlagKey>[] => [
  { key: 'name', header: 'Name', phone: 'title', cell: ({ name }) => <strong>{name}</strong> },
  {
    key: 'key',
    header: 'Client key',
    phone: 'extra',
    cell: ({ clientKey, previousEndsAt }) => (
      <>
        <code>{clientKey}</code> <Copy text={clientKey} what="client key" />
        {previousEndsAt !== null && (
          <div className="meta">
            The previous key ends <RelativeTime at={previousEndsAt} isShort />
          </div>
        )}
      </>
    ),
  },
  { key: 'mode', header: 'Mode', phone: 'meta', cell: ({ mode }) => modeLabels[mode] },
  {
    key: 'asked',
    header: 'Last request',
    phone: 'end',
    cell: ({ lastRequestedAt }) => (lastRequestedAt === null ? 'None yet' : <RelativeTime at={lastRequestedAt} isShort />),
  },
  {
    ...rowActions,
    phone: 'action',
    cell: (key) => <KeyMenu place={place} flagKey={key} onChoose={onChoose} />,
  },
];

function KeyMenu({ place, flagKey, onChoose }: { place: FlagPlace; flagKey: FlagKey; onChoose: (name: string) => void }) {
  const rotate = useWrite(flagKeyRotate);
  const remove = useWrite(flagKeyDelete);
  const params = { ...place, key: flagKey.name };
  const done = () => refresh({ kind: 'flagKey', app: place.app });
  return (
    <Menu
      trigger={<IconButton size="sm" label={`More actions for ${flagKey.name}`} icon={<Ellipsis aria-hidden="true" />} />}
      items={[
        { label: 'Show a program', onSelect: () => onChoose(flagKey.name) },
        {
          label: 'Rotate key',
          icon: <RotateCw aria-hidden="true" />,
          ...disabledUnless(flagKey.can, 'rotate'),
          onSelect: () =>
            confirmAction({
              title: `Rotate ${flagKey.name}?`,
              description: 'Clients need the new key. The previous one works for 24 hours.',
              confirmLabel: 'Rotate key',
              busyLabel: 'Rotating',
              variant: 'primary',
              run: async () => {
                await rotate.send({ params, body: { overlapHours: 24 } });
                toast.success(`${flagKey.name} has a new key`);
                await done();
              },
            }),
        },
        'line',
        {
          label: 'Delete key',
          icon: <Trash2 aria-hidden="true" />,
          isDanger: true,
          ...disabledUnless(flagKey.can, 'delete'),
          onSelect: () =>
            confirmAction({
              title: `Delete ${flagKey.name}?`,
              description: 'Clients with this key get no more changes, and new clients use the fallbacks in the code.',
              confirmLabel: `Delete ${flagKey.name}`,
              busyLabel: 'Deleting',
              run: async () => {
                await remove.send({ params });
                toast.success(`${flagKey.name} is deleted`);
                await done();
              },
            }),
        },
      ]}
    />
  );
}

function Snippets({ flagKey }: { flagKey: FlagKey }) {
  const [language, setLanguage] = useState<Language>('JavaScript');
  return (
    <Panel aria-labelledby="snippet">
      <PanelHead title={`Use ${flagKey.name}`} titleId="snippet">
        <Segmented label="Language" options={languages.map((value) => ({ value, label: value }))} value={language} onChange={setLanguage} />
      </PanelHead>
      <PanelBody>
        <CodeBlock code={snippetOf(language, flagKey, location.origin)} what="program" />
      </PanelBody>
    </Panel>
  );
}

const schema = z.object({ name: FlagKeyCreate.shape.name, mode: z.enum(flagKeyModes) });
function KeyDialog({ place, onClose, onMade }: { place: FlagPlace; onClose: () => void; onMade: (name: string) => void }) {
  const create = useWrite(flagKeyCreate);
  const form = useApiForm({
    schema,
    defaultValues: { name: '', mode: 'PLAIN' as FlagKey['mode'] },
    labels: { name: 'Name', mode: 'Mode' },
    onSubmit: async (body) => {
      const { name } = await create.send({ params: { ...place }, body });
      onMade(name);
      onClose();
      await refresh({ kind: 'flagKey', app: place.app });
    },
  });
  return (
    <FormDialog form={form} onClose={onClose} title="New client key" submitLabel="Create key" busyLabel="Creating">
      <TextField form={form} name="name" spellCheck={false} autoCapitalize="off" hint="For example web or board-server." />
      <SelectField form={form} name="mode" options={flagKeyModes.map((value) => ({ value, label: modeLabels[value] }))} />
    </FormDialog>
  );
}
