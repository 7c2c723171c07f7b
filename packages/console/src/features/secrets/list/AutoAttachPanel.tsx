/** Secret settings of an app: which groups attach automatically to every service of an environment. */
import { environments, type Environment } from '@slipway/contract/kernel/fields.ts';
import { secretGroupList, secretGroupUpdate, type SecretGroup } from '@slipway/contract/secret/secret-group.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Switch } from '@slipway/ui/form/Switch.tsx';
import { cellMain, type Column } from '@slipway/ui/list/Table.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { count } from '@slipway/ui/format/count.ts';
import { useState } from 'react';
import { refresh } from '#entities/changes/refresh.ts';
import { useQuery } from '#kit/api/query.ts';
import { useWrite } from '#kit/api/write.ts';
import { reportError } from '#kit/error/global-error.ts';
import { ListPanel } from '#kit/list/ListPanel.tsx';
import { reasonOf } from '#kit/error/messages.ts';
import { paths } from '#entities/paths.ts';

const words: Readonly<Record<Environment, string>> = { development: 'Development', production: 'Production' };

export function AutoAttachPanel({ app }: { app: string }) {
  return (
    <div className="stack stack-24">
      {environments.map((env) => (
        <OfEnvironment key={env} app={app} env={env} />
      ))}
    </div>
  );
}

const columnsFor = (onChange: (group: SecretGroup) => void, busy: string | undefined): Column<SecretGroup>[] => [
  {
    key: 'name',
    header: 'Group',
    phone: 'title',
    cell: (group) => (
      <Link className={cellMain} href={paths.secretGroup({ app: group.app, env: group.environment, group: group.name })}>
        {group.name}
      </Link>
    ),
  },
  {
    key: 'services',
    header: 'Read by',
    phone: 'meta',
    cell: ({ services }) => <span className="quiet">{count(services.length, 'service')}</span>,
  },
  {
    key: 'auto',
    header: 'Attach to every service',
    align: 'end',
    phone: 'status',
    cell: (group) => <AutoAttach group={group} isBusy={busy === group.name} onChange={onChange} />,
  },
];

function AutoAttach({ group, isBusy, onChange }: { group: SecretGroup; isBusy: boolean; onChange: (group: SecretGroup) => void }) {
  const reason = reasonOf(group.can, 'update');
  if (reason !== undefined) return <span className="meta">{`${group.autoAttach ? 'Yes' : 'No'}. ${reason}`}</span>;
  return (
    <Switch
      aria-label={`Attach ${group.name} to every service of ${group.environment}`}
      checked={group.autoAttach}
      disabled={isBusy}
      onChange={() => onChange(group)}
    />
  );
}

function OfEnvironment({ app, env }: { app: string; env: Environment }) {
  const list = useQuery(secretGroupList, { params: { app, env }, query: { size: 100 } });
  const update = useWrite(secretGroupUpdate);
  const [busy, setBusy] = useState<string>();
  const change = async ({ name, autoAttach }: SecretGroup): Promise<void> => {
    setBusy(name);
    try {
      await update.send({ params: { app, env, group: name }, body: { autoAttach: !autoAttach } });
      toast.success(autoAttach ? `${name} does not attach itself any more` : `${name} attaches itself to every service`);
      await refresh({ kind: 'secretGroup', app, env });
    } catch (error) {
      reportError(error);
    }
    setBusy(undefined);
  };
  return (
    <ListPanel
      label={`Secret groups of ${env}`}
      plural="secret groups"
      list={list}
      head={{ title: words[env], note: 'Takes effect with the next revision of each service' }}
      columns={columnsFor((group) => void change(group), busy)}
      rows={list.data?.content ?? []}
      rowKey={({ name }) => name}
      empty={
        <EmptyState kind="first-use" title={`No secret groups in ${env} yet`} isCompact>
          Auto-attached groups are available to every service in their environment, including new ones.
        </EmptyState>
      }
    />
  );
}
