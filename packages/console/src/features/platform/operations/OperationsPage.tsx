/** The operator's page: what of the platform itself needs a look, and the figures of the rest. For administrators. */
import { operationsView, type Operations } from '@slipway/contract/operations.ts';
import { Badge } from '@slipway/ui/feedback/Badge.tsx';
import { count } from '@slipway/ui/format/count.ts';
import { bytes } from '@slipway/ui/format/bytes.ts';
import { duration } from '@slipway/ui/format/duration.ts';
import { KeyValue } from '@slipway/ui/layout/KeyValue.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Panel, PanelBody, PanelFoot, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { useNow } from '@slipway/ui/use-now.ts';
import { useQuery } from '#kit/api/query.ts';
import { paths } from '#entities/paths.ts';
import { AdministratorPage, useIsAdministrator } from '../AdministratorPage.tsx';
import { DegradedPanel } from './DegradedPanel.tsx';
import { EnginesPanel, needsLook } from './EnginesPanel.tsx';
import { QueuesPanel } from './QueuesPanel.tsx';
import { ReplicasPanel } from './ReplicasPanel.tsx';
import { SlowPipelines } from './SlowPipelines.tsx';

/** The server asks its engines at most every five seconds. */
const POLL_MS = 5000;
const DAY_MS = 86_400_000;

export function Component() {
  const query = useQuery(operationsView, useIsAdministrator() && {}, { isAlwaysPolled: true, pollMs: () => POLL_MS });
  const operations = query.data;
  return (
    <AdministratorPage
      name="Operations"
      lede="Replicas, engines and queues of the platform itself."
      what="operations"
      noRight="The page of your service says how your service is."
      query={query}
      actions={operations && <Verdict operations={operations} />}
    >
      <div className="split split-side">
        <div className="stack stack-24">
          <EnginesPanel engines={operations?.engines} />
          <QueuesPanel queues={operations?.queues} />
          <SlowPipelines pipelines={operations?.pipelines} />
          <DegradedPanel operations={operations} />
        </div>
        <div className="stack stack-24">
          <ReplicasPanel replicas={operations?.replicas} version={operations?.version} />
          {operations && <KeysPanel keys={operations.keys} />}
          {operations && <BackupPanel backup={operations.backup} />}
        </div>
      </div>
    </AdministratorPage>
  );
}

function Verdict({ operations: { engines, replicas } }: { operations: Operations }) {
  const engineCount = engines.filter(needsLook).length;
  const away = replicas.filter(({ isAlive }) => !isAlive).length;
  if (engineCount + away === 0) return <Badge tone="ok">All engines answer</Badge>;
  const parts = [
    ...(engineCount > 0 ? [`${count(engineCount, 'engine')} ${engineCount === 1 ? 'needs' : 'need'} a look`] : []),
    ...(away > 0 ? [`${count(away, 'replica')} away`] : []),
  ];
  return <Badge tone="warn">{parts.join(', ')}</Badge>;
}

/** Purposes of the platform's own keys. A key without a label is shown by its purpose. */
const purposeLabels: Readonly<Record<string, string>> = {
  'registry-tokens': 'Tokens of the registry',
  'edge-claims': 'Claims of the edge',
  'broker-password': 'Password of the broker',
  'oidc-signing': 'Tokens of the sign-in',
  'oidc-cookies': 'Cookies of the sign-in',
  'oidc-demo': 'Code of the demo',
  'cluster-pull': 'Pulls of clusters',
  'secret-compare': 'Comparison of secrets',
  'account-passwords': 'Passwords of accounts',
  'trace-tokens': 'Tokens of traces',
};

function KeysPanel({ keys: { currentKid, rotatedAt, own } }: { keys: Operations['keys'] }) {
  return (
    <Panel aria-labelledby="operations-keys">
      <PanelHead title="Keys" titleId="operations-keys" />
      <PanelBody>
        <KeyValue
          items={[
            { label: 'Wraps secrets', value: <span className="mono">{currentKid ?? 'The key store does not answer'}</span> },
            { label: 'Rotated', value: rotatedAt ? <RelativeTime at={rotatedAt} /> : 'Never' },
            ...own.map(({ purpose, createdAt }) => ({
              label: purposeLabels[purpose] ?? purpose,
              value: (
                <span>
                  made <RelativeTime at={createdAt} />
                </span>
              ),
            })),
          ]}
        />
      </PanelBody>
      <PanelFoot>
        <Link href={paths.keys()}>Wrapping keys</Link>
      </PanelFoot>
    </Panel>
  );
}

function BackupPanel({ backup }: { backup: Operations['backup'] }) {
  const days = useNow((now) => (backup ? Math.floor((now - Date.parse(backup.finishedAt)) / DAY_MS) : 0));
  const isOld = days >= 2;
  return (
    <Panel aria-labelledby="operations-backup">
      <PanelHead title="Backup of Slipway" titleId="operations-backup">
        {isOld && <Badge tone="warn">Older than two days</Badge>}
        {!backup && <Badge tone="warn">None</Badge>}
      </PanelHead>
      <PanelBody>
        {backup ? (
          <KeyValue
            items={[
              { label: 'Last', value: <RelativeTime at={backup.finishedAt} /> },
              { label: 'Size', value: `${bytes(backup.bytes)} in ${duration(backup.tookMs)}` },
              ...(backup.hasWarnings ? [{ label: 'Warnings', value: 'It printed warnings. Look at its output.' }] : []),
            ]}
          />
        ) : (
          <p className="quiet">
            No backup was made yet. Run <code>slipway backup</code> every night, and check its archives.
          </p>
        )}
      </PanelBody>
    </Panel>
  );
}
