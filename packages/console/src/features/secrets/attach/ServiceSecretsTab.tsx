/** The Secret manager of a service: the groups it reads, how, and the version of each that runs. */
import { environmentOf } from '@slipway/contract/kernel/fields.ts';
import { secretGroupRestart, serviceSecretGroupList, type ServiceSecretGroup } from '@slipway/contract/secret/secret-group.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Menu } from '@slipway/ui/overlay/Menu.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { cellMain, type Column } from '@slipway/ui/list/Table.tsx';
import { Tag } from '@slipway/ui/feedback/Tag.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { count } from '@slipway/ui/format/count.ts';
import { Ellipsis, Plus, RotateCw } from 'lucide-react';
import { useState } from 'react';
import { useParams } from 'react-router';
import { isStatus } from '#kit/api/errors.ts';
import { useQuery } from '#kit/api/query.ts';
import { useWrite } from '#kit/api/write.ts';
import { reportError } from '#kit/error/global-error.ts';
import { ListPanel } from '#kit/list/ListPanel.tsx';
import { messageFor, disabledUnless } from '#kit/error/messages.ts';
import { paths, type ServiceRef } from '#entities/paths.ts';
import { toastRun } from '#entities/pipeline/index.ts';
import { AttachGroupDialog } from './AttachDialogs.tsx';
import { confirmAction } from '#kit/confirm/confirm-action.ts';
import { SecretsNoRight } from '#features/secrets/SecretsNoRight.tsx';
import { runsLabel } from '#features/secrets/secret-labels.ts';
import { useAttachment } from './use-attachment.ts';
import { useAppPlace } from '#entities/team/use-app-place.ts';
import { rowActions } from '#kit/list/columns.tsx';

const servicesMs = 5000;

export function Component() {
  const { app = '', env: segment = '', service = '' } = useParams();
  const env = environmentOf(segment);
  const { isMember, noRight } = useAppPlace();
  if (env === undefined) return null;
  if (isMember === false) return <SecretsNoRight noRight={noRight} />;
  return <ServiceSecrets place={{ app, env, service }} noRight={noRight} isAsked={isMember === true} />;
}

interface RowActions {
  onDetach: (group: ServiceSecretGroup) => void;
  onExpose: (group: ServiceSecretGroup) => void;
}

function RowMenu({ row, onDetach, onExpose }: RowActions & { row: ServiceSecretGroup }) {
  const reason = (verb: string) => disabledUnless(row.can, verb);
  return (
    <Menu
      trigger={<IconButton size="sm" variant="quiet" label={`Actions for ${row.group}`} icon={<Ellipsis aria-hidden="true" />} />}
      items={[
        {
          label: row.exposeAsEnvironment ? 'Only where the settings name it' : 'Every key as a variable',
          onSelect: () => onExpose(row),
          ...reason('update'),
        },
        'line',
        { label: 'Detach', isDanger: true, onSelect: () => onDetach(row), ...reason('detach') },
      ]}
    />
  );
}

const columnsFor = (place: ServiceRef, actions: RowActions): Column<ServiceSecretGroup>[] => [
  {
    key: 'group',
    header: 'Secret group',
    phone: 'title',
    cell: ({ group, kind, isAutoAttached }) => (
      <span className="row row-wrap">
        <Link className={cellMain} href={paths.secretGroup({ app: place.app, env: place.env, group })}>
          {group}
        </Link>
        {kind === 'PLATFORM' && <Tag>Platform, read-only</Tag>}
        {isAutoAttached && <Tag>Attached by itself</Tag>}
      </span>
    ),
  },
  {
    key: 'keys',
    header: 'Keys',
    phone: 'end',
    cell: ({ keys }) => (
      <span className="quiet" title={keys.join(', ')}>
        {count(keys.length, 'key')}
      </span>
    ),
  },
  {
    key: 'runs',
    header: 'Runs version',
    phone: 'meta',
    cell: ({ runsVersion, version, needsRestart }) => (
      <>
        <span className="only-phone">Runs version </span>
        {needsRestart ? (
          <Status tone="warn">{runsLabel(runsVersion, version)}</Status>
        ) : (
          <span className="num">{runsLabel(runsVersion, version)}</span>
        )}
      </>
    ),
  },
  { key: 'next', header: 'Next revision reads', cell: ({ version }) => <span className="num">{version}</span> },
  {
    key: 'how',
    header: 'How',
    phone: 'extra',
    cell: ({ exposeAsEnvironment }) => (
      <span className="quiet">{exposeAsEnvironment ? 'Every key as a variable' : 'Where the settings name it'}</span>
    ),
  },
  {
    ...rowActions,
    phone: 'status',
    cell: (row) => <RowMenu row={row} {...actions} />,
  },
];

function ServiceSecrets({ place, noRight, isAsked }: { place: ServiceRef; noRight: string; isAsked: boolean }) {
  const list = useQuery(serviceSecretGroupList, isAsked && { params: { ...place } }, { pollMs: servicesMs, isAlwaysPolled: true });
  const [isAttaching, setAttaching] = useState(false);
  const { attach, detachAction } = useAttachment(place);
  if (isStatus(list.error, 403, 404)) return <SecretsNoRight noRight={noRight} />;
  const rows = list.data ?? [];
  const actions: RowActions = {
    onDetach: ({ group }) => confirmAction(detachAction(place.service, group)),
    onExpose: ({ group, exposeAsEnvironment }) => void attach(place.service, group, !exposeAsEnvironment).catch(reportError),
  };
  return (
    <ListPanel
      label="Secret groups of this service"
      plural="secret groups"
      list={list}
      head={{
        title: 'Secret groups',
        children: (
          <>
            <Restart place={place} rows={rows} />
            <Button size="sm" icon={<Plus aria-hidden="true" />} onClick={() => setAttaching(true)}>
              Attach a group
            </Button>
          </>
        ),
      }}
      columns={columnsFor(place, actions)}
      rows={rows}
      rowKey={({ group }) => group}
      empty={
        <EmptyState level={2} kind="first-use" title="This service reads no secrets">
          Attach a secret group: the next revision gets its keys as variables, or as files where the settings say so.
        </EmptyState>
      }
    >
      {isAttaching && <AttachGroupDialog place={place} attached={rows.map(({ group }) => group)} onClose={() => setAttaching(false)} />}
    </ListPanel>
  );
}

/** One new revision loads the newest version of every group, so restarting for the first group is enough. */
function Restart({ place, rows }: { place: ServiceRef; rows: readonly ServiceSecretGroup[] }) {
  const write = useWrite(secretGroupRestart);
  const waiting = rows.filter(({ needsRestart }) => needsRestart);
  const [first] = waiting;
  if (!first) return null;
  const run = async (): Promise<void> => {
    const params = { app: place.app, env: place.env, group: first.group };
    const { pipelines, refused } = await write.send({ params, body: { services: [place.service] } });
    for (const pipeline of pipelines) toastRun(`${place.service} restarts`, pipeline);
    for (const { service, code } of refused) toast.failure(`${service} was not restarted`, { detail: messageFor(code) });
  };
  const ask = (): void =>
    confirmAction({
      title: `Restart ${place.service}?`,
      description: `A new revision of the image that runs now reads the newest version of ${waiting.map(({ group }) => group).join(', ')}.`,
      confirmLabel: `Restart ${place.service}`,
      busyLabel: 'Starting',
      variant: 'primary',
      run,
    });
  return (
    <>
      <Status tone="warn" isTinted>
        Needs a restart
      </Status>
      <Button size="sm" icon={<RotateCw aria-hidden="true" />} onClick={ask}>
        Restart
      </Button>
    </>
  );
}
