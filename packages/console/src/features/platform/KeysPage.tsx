/** The keys that encrypt all secrets at rest, for administrators: which one is active, and rotation without downtime. */
import { keyRotationCreate, keyStatusView, type KeyRotation, type KeyStatus } from '@slipway/contract/keys.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Gauge } from '@slipway/ui/figures/Gauge.tsx';
import { KeyValue } from '@slipway/ui/layout/KeyValue.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { Table, type Column } from '@slipway/ui/list/Table.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { count } from '@slipway/ui/format/count.ts';
import { RotateCw } from 'lucide-react';
import { useQuery } from '#kit/api/query.ts';
import { useWrite } from '#kit/api/write.ts';
import { messageFor } from '#kit/error/messages.ts';
import { confirmAction } from '#kit/confirm/confirm-action.ts';
import { AdministratorPage, useIsAdministrator } from './AdministratorPage.tsx';

const runningMs = 1000;
const isRunning = (status: KeyStatus | undefined): boolean => status?.rotation?.state === 'RUNNING';

const kindLabels: Readonly<Record<KeyStatus['kind'], string>> = {
  file: 'A file of this server',
  vault: 'Vault transit',
  kms: 'A cloud key service',
};

export function Component() {
  const isAdministrator = useIsAdministrator();
  // No change event announces a rotation's progress, so the page polls while one runs.
  const query = useQuery(keyStatusView, isAdministrator && {}, {
    isAlwaysPolled: true,
    pollMs: (latest) => (isRunning(latest) ? runningMs : 0),
  });
  const rotate = useWrite(keyRotationCreate);
  const ask = (): void =>
    confirmAction({
      title: 'Create a new key?',
      description: 'All data keys are re-encrypted with the new key. Services keep running. Old keys stay until nothing uses them.',
      confirmLabel: 'Rotate the key',
      busyLabel: 'Starting',
      variant: 'primary',
      run: async () => {
        const status = await rotate.send({});
        await query.mutate(status, { revalidate: true });
        toast.success('The rotation has begun');
      },
    });
  const status = query.data;
  return (
    <AdministratorPage
      name="Keys"
      lede="Encryption keys for secrets."
      what="keys"
      noRight="They encrypt your secrets. No action needed."
      query={query}
      actions={
        <Button
          variant="primary"
          icon={<RotateCw aria-hidden="true" />}
          onClick={ask}
          {...(isRunning(status) ? { disabledReason: messageFor('KeyRotationRunning') } : {})}
        >
          Rotate the key
        </Button>
      }
    >
      <Keys status={status} />
    </AdministratorPage>
  );
}

const columns: Column<KeyStatus['kids'][number]>[] = [
  { key: 'kid', header: 'Key', phone: 'title', cell: ({ kid }) => <span className="mono">{kid}</span> },
  { key: 'wraps', header: 'Wraps', phone: 'meta', cell: ({ wraps }) => <span className="num">{count(wraps, 'data key')}</span> },
  {
    key: 'state',
    header: 'State',
    phone: 'status',
    cell: ({ isCurrent, wraps }) => {
      if (isCurrent) return <Status tone="ok">In use</Status>;
      return <Status tone="off">{wraps === 0 ? 'Wraps nothing any more' : 'Old'}</Status>;
    },
  },
];

function Keys({ status }: { status: KeyStatus | undefined }) {
  return (
    <div className={status?.rotation ? 'split split-side' : 'stack'}>
      <div className="stack">
        <Panel aria-labelledby="kids">
          <PanelHead title="Wrapping keys" titleId="kids" {...(status ? { note: kindLabels[status.kind] } : {})} />
          <Table label="Wrapping keys" columns={columns} rows={status?.kids ?? []} rowKey={({ kid }) => kid} isLoading={!status} />
        </Panel>
        <Notice tone="idle">Remove an old key only when no data keys or backups use it.</Notice>
      </div>
      {status?.rotation && <Rotation rotation={status.rotation} />}
    </div>
  );
}

const rotationLook = {
  RUNNING: { tone: 'run', word: 'Running' },
  COMPLETED: { tone: 'ok', word: 'Completed' },
  FAILED: { tone: 'bad', word: 'Failed' },
} as const;

function Rotation({ rotation }: { rotation: KeyRotation }) {
  const { state, done, total, failed, kid, startedAt, startedBy, finishedAt } = rotation;
  const look = rotationLook[state];
  const words = `${done.toLocaleString('en')} of ${total.toLocaleString('en')}`;
  return (
    <Panel aria-labelledby="rotation">
      <PanelHead title="Latest rotation" titleId="rotation">
        <Status tone={look.tone}>{look.word}</Status>
      </PanelHead>
      <PanelBody className="stack">
        <Gauge label={`Re-encrypted: ${words}`} value={total === 0 ? 1 : done} of={total || 1}>
          {words}
        </Gauge>
        {failed > 0 && (
          <Notice tone="bad">
            {count(failed, 'data key')} could not be opened and {failed === 1 ? 'stays' : 'stay'} wrapped with the old key. Look into the
            server's log.
          </Notice>
        )}
        <KeyValue
          items={[
            { label: 'To key', value: <span className="mono">{kid}</span> },
            {
              label: 'Started',
              value: (
                <span>
                  {startedBy.displayName}, <RelativeTime at={startedAt} />
                </span>
              ),
            },
            ...(finishedAt ? [{ label: 'Finished', value: <RelativeTime at={finishedAt} /> }] : []),
          ]}
        />
      </PanelBody>
    </Panel>
  );
}
