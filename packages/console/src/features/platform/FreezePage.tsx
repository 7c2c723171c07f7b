/** Freeze windows of production, for administrators: those to come, open and over. */
import { freezeTime, freezeWindowEnd, freezeWindowList, type FreezeWindow } from '@slipway/contract/freeze.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { Panel, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { Table, type Column } from '@slipway/ui/list/Table.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { TwoLines } from '@slipway/ui/text/TwoLines.tsx';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useQuery } from '#kit/api/query.ts';
import { useWrite } from '#kit/api/write.ts';
import { confirmAction } from '#kit/confirm/confirm-action.ts';
import { rowActions } from '#kit/list/columns.tsx';
import { AdministratorPage, useIsAdministrator } from './AdministratorPage.tsx';
import { FreezeDialog } from './FreezeDialog.tsx';

/** A window opens and ends without a change event. */
const POLL_MS = 30_000;
const looks = {
  COMING: { tone: 'idle', word: 'Coming' },
  OPEN: { tone: 'warn', word: 'Frozen' },
  ENDED: { tone: 'off', word: 'Over' },
} as const;

const scopeOf = ({ teams, apps }: FreezeWindow): string => {
  const parts = [...teams.map((team) => `team ${team}`), ...apps.map((app) => `app ${app}`)];
  return parts.length === 0 ? 'All of production' : parts.join(', ');
};

export function Component() {
  const query = useQuery(freezeWindowList, useIsAdministrator() && {}, { isAlwaysPolled: true, pollMs: () => POLL_MS });
  const [edited, setEdited] = useState<FreezeWindow | 'new'>();
  const end = useWrite(freezeWindowEnd);
  const ask = ({ id, name, state }: FreezeWindow): void =>
    confirmAction({
      title: state === 'OPEN' ? `End ${name} now?` : `Cancel ${name}?`,
      description: state === 'OPEN' ? 'Services in production can change again at once.' : 'Production will not be frozen in this time.',
      confirmLabel: state === 'OPEN' ? 'End freeze window' : 'Cancel freeze window',
      busyLabel: 'Ending',
      run: async () => {
        await end.send({ params: { freezeWindow: id } });
        await query.mutate();
        toast.success(`${name} is over`);
      },
    });
  const columns: Column<FreezeWindow>[] = [
    {
      key: 'name',
      header: 'Window',
      phone: 'title',
      cell: ({ name, reason }) => <TwoLines below={reason}>{name}</TwoLines>,
    },
    {
      key: 'time',
      header: 'Time',
      phone: 'meta',
      cell: ({ startsAt, endsAt, timeZone }) => (
        <TwoLines below={`until ${freezeTime(endsAt, timeZone)}`}>From {freezeTime(startsAt, timeZone)}</TwoLines>
      ),
    },
    {
      key: 'scope',
      header: 'For',
      phone: 'meta',
      cell: (freeze) => (
        <TwoLines below={freeze.ownersMayOverride ? 'Owners may override' : 'Only administrators may override'}>{scopeOf(freeze)}</TwoLines>
      ),
    },
    { key: 'state', header: 'State', phone: 'status', cell: ({ state }) => <Status tone={looks[state].tone}>{looks[state].word}</Status> },
    {
      ...rowActions,
      phone: 'action',
      cell: (freeze) =>
        freeze.state !== 'ENDED' && (
          <span className="row">
            <Button size="sm" variant="quiet" aria-label={`Edit ${freeze.name}`} onClick={() => setEdited(freeze)}>
              Edit
            </Button>
            <Button
              size="sm"
              variant="quiet"
              aria-label={`${freeze.state === 'OPEN' ? 'End' : 'Cancel'} ${freeze.name}`}
              onClick={() => ask(freeze)}
            >
              {freeze.state === 'OPEN' ? 'End' : 'Cancel'}
            </Button>
          </span>
        ),
    },
  ];
  const windows = query.data?.windows;
  return (
    <AdministratorPage
      name="Freeze windows"
      lede="Times in which services in production don’t change."
      what="freeze windows"
      noRight="A frozen app says so on its pages in production, with the reason."
      query={query}
      actions={
        <Button variant="primary" icon={<Plus aria-hidden="true" />} onClick={() => setEdited('new')}>
          New freeze window
        </Button>
      }
    >
      <Panel aria-labelledby="windows">
        <PanelHead title="Windows" titleId="windows" />
        {windows?.length === 0 ? (
          <EmptyState level={3} kind="first-use" title="No freeze windows" isCompact>
            A freeze window refuses deploys and settings in production for a time, for everyone or for some teams and apps. Rollbacks always
            work.
          </EmptyState>
        ) : (
          <Table phone="flow" label="Freeze windows" columns={columns} rows={windows ?? []} rowKey={({ id }) => id} isLoading={!windows} />
        )}
      </Panel>
      {edited !== undefined && (
        <FreezeDialog
          {...(edited === 'new' ? {} : { freeze: edited })}
          onDone={() => query.mutate()}
          onClose={() => setEdited(undefined)}
        />
      )}
    </AdministratorPage>
  );
}
