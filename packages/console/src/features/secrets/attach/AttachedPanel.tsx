/** The services that read a group: the version each runs, how it reads the group, and a restart that loads the newest version. */
import { secretGroupRestart, type SecretGroup } from '@slipway/contract/secret/secret-group.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Panel, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { cellMain, Table, type Column } from '@slipway/ui/list/Table.tsx';
import { Tag } from '@slipway/ui/feedback/Tag.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { count } from '@slipway/ui/format/count.ts';
import { Plus, RotateCw } from 'lucide-react';
import { useState } from 'react';
import { useWrite } from '#kit/api/write.ts';
import { messageFor, reasonOf } from '#kit/error/messages.ts';
import { paths, pipelinePath } from '#entities/paths.ts';
import { AttachServiceDialog } from './AttachDialogs.tsx';
import { confirmAction, type ConfirmedAction } from '#kit/confirm/confirm-action.ts';
import { restartLabel, runsLabel } from '#features/secrets/secret-labels.ts';
import { useAttachment } from './use-attachment.ts';
import type { GroupPlace } from '#features/secrets/use-group.ts';
import { rowActions } from '#kit/list/columns.tsx';

type Reader = SecretGroup['services'][number];

const autoReason = messageFor('CannotRemoveAutoAttachSecretGroups');

export interface AttachedPanelProps {
  place: GroupPlace;
  group: SecretGroup | undefined;
  team: string;
}

const columnsFor = (place: GroupPlace, version: number, onDetach: (reader: Reader) => void): Column<Reader>[] => [
  {
    key: 'service',
    header: 'Service',
    cell: ({ service }) => (
      <Link className={cellMain} href={paths.serviceSecrets({ ...place, service })}>
        {service}
      </Link>
    ),
  },
  {
    key: 'runs',
    header: 'Runs version',
    cell: ({ runsVersion, needsRestart }) =>
      needsRestart ? (
        <Status tone="warn">{runsLabel(runsVersion, version)}</Status>
      ) : (
        <span className="num">{runsLabel(runsVersion, version)}</span>
      ),
  },
  {
    key: 'how',
    header: 'How',
    cell: ({ exposeAsEnvironment, isAutoAttached }) => (
      <span className="row row-wrap quiet">
        {exposeAsEnvironment ? 'Variables' : 'By the settings'}
        {isAutoAttached && <Tag>Attached by itself</Tag>}
      </span>
    ),
  },
  {
    ...rowActions,
    cell: (reader) => (
      <Button
        size="sm"
        variant="quiet"
        aria-label={`Detach ${reader.service}`}
        onClick={() => onDetach(reader)}
        {...(reader.isAutoAttached ? { disabledReason: autoReason } : {})}
      >
        Detach
      </Button>
    ),
  },
];

const useRestart = (place: GroupPlace) => {
  const write = useWrite(secretGroupRestart);
  return (group: SecretGroup): ConfirmedAction => {
    const waiting = group.services.filter(({ needsRestart }) => needsRestart).map(({ service }) => service);
    return {
      title: `Restart ${count(waiting.length, 'service')}?`,
      description: `Each gets a new revision of the image that it runs now, which reads version ${group.version}: ${waiting.join(', ')}.`,
      confirmLabel: `Restart ${count(waiting.length, 'service')}`,
      busyLabel: 'Starting',
      variant: 'primary',
      run: async () => {
        const { pipelines, refused } = await write.send({ params: { ...place }, body: {} });
        const [first] = pipelines;
        if (first) {
          const href = pipelines.length === 1 ? pipelinePath(first) : paths.pipelines();
          toast.success(`${count(pipelines.length, 'service')} ${pipelines.length === 1 ? 'restarts' : 'restart'}`, {
            href,
            linkLabel: pipelines.length === 1 ? 'View pipeline' : 'View pipelines',
          });
        }
        for (const { service, code } of refused) toast.failure(`${service} was not restarted`, { detail: messageFor(code) });
      },
    };
  };
};

export function AttachedPanel({ place, group, team }: AttachedPanelProps) {
  const [isAttaching, setAttaching] = useState(false);
  const restart = useRestart(place);
  const { detachAction } = useAttachment(place);
  const waiting = group && restartLabel(group.services);
  const restartReason = reasonOf(group?.can, 'restart', { team });
  return (
    <Panel aria-labelledby="attached">
      <PanelHead title="Attached services" titleId="attached">
        {group && waiting !== undefined && (
          <>
            <Status tone="warn" isTinted>
              {waiting}
            </Status>
            <Button
              size="sm"
              icon={<RotateCw aria-hidden="true" />}
              onClick={() => confirmAction(restart(group))}
              disabledReason={restartReason}
            >
              Restart
            </Button>
          </>
        )}
        <Button size="sm" icon={<Plus aria-hidden="true" />} onClick={() => setAttaching(true)}>
          Attach a service
        </Button>
      </PanelHead>
      <Table
        label="Attached services"
        phone="flow"
        columns={columnsFor(place, group?.version ?? 0, ({ service }) => confirmAction(detachAction(service)))}
        rows={group?.services ?? []}
        rowKey={({ service }) => service}
        isLoading={!group}
        empty={
          <EmptyState kind="first-use" title="No service reads this group" isCompact>
            Attach one: its next revision reads the newest version.
          </EmptyState>
        }
      />
      {isAttaching && group && (
        <AttachServiceDialog place={place} attached={group.services.map(({ service }) => service)} onClose={() => setAttaching(false)} />
      )}
    </Panel>
  );
}
