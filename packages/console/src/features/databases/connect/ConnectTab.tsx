/** How to connect, to read and write or only to read: secret group, services that read the group, snippets without any secret value. */
import type { Database } from '@slipway/contract/database/database.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { SegmentedLinks } from '@slipway/ui/form/Segmented.tsx';
import { KeyValue } from '@slipway/ui/layout/KeyValue.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { cellMain, Table, type Column } from '@slipway/ui/list/Table.tsx';
import { CodeBlock } from '@slipway/ui/text/CodeBlock.tsx';
import { KeyRound } from 'lucide-react';
import type { SecretGroup } from '@slipway/contract/secret/secret-group.ts';
import { paths } from '#entities/paths.ts';
import { useInPageLinks } from '#kit/page/in-page-links.ts';
import { useUrlState } from '#kit/state/url-state.ts';
import { useDatabaseGroup } from '#features/databases/overview/ConnectionPanel.tsx';
import type { DatabasePlace } from '#features/databases/database-place.ts';
import { accessOf, type Access } from './access.ts';
import { ReaderOff, ReaderOn } from './ReaderPanels.tsx';
import { snippetFor, snippetKinds, snippets } from './snippets.ts';

const defaults = { with: '', access: '' };
type Reader = SecretGroup['services'][number];

const columnsFor = (place: DatabasePlace, database: Database, { isReader: reads }: Access): Column<Reader>[] => [
  {
    key: 'service',
    header: 'Service',
    phone: 'title',
    cell: ({ service }) => (
      <Link className={cellMain} href={paths.serviceSecrets({ ...place, service })}>
        {service}
      </Link>
    ),
  },
  {
    key: 'password',
    header: 'Password',
    phone: 'status',
    cell: ({ needsRestart }) =>
      needsRestart ? <Status tone="warn">Former, needs a restart</Status> : <span className="quiet">Newest</span>,
  },
  {
    key: 'connections',
    header: 'Connections',
    align: 'end',
    phone: 'meta',
    cell: ({ service }) => {
      const open = database.status.connectionsBy.filter(
        ({ application, isReader = false }) => application === service && isReader === reads,
      );
      return <span className="num">{open.reduce((sum, { count }) => sum + count, 0)}</span>;
    },
  },
];

export interface ConnectTabProps {
  place: DatabasePlace;
  database: Database;
  team: string;
}

export default function ConnectTab({ place, database, team }: ConnectTabProps) {
  const { state, hrefOf } = useUrlState(defaults);
  const onLinks = useInPageLinks();
  const isReader = state.access === 'read';
  const access = accessOf(database, isReader);
  return (
    <div className="stack stack-24">
      <div onClickCapture={onLinks}>
        <SegmentedLinks
          label="Access"
          items={[
            { label: 'Read and write', href: hrefOf({ access: '' }), isCurrent: !isReader },
            { label: 'Read only', href: hrefOf({ access: 'read' }), isCurrent: isReader },
          ]}
        />
      </div>
      {access ? (
        <ConnectPanels place={place} database={database} team={team} access={access} />
      ) : (
        <ReaderOff database={database} team={team} />
      )}
    </div>
  );
}

function ConnectPanels({ place, database, team, access }: ConnectTabProps & { access: Access }) {
  const hasGroup = access.version !== undefined;
  const group = useDatabaseGroup(place, hasGroup ? access.group : undefined);
  const href = paths.secretGroup({ ...place, group: access.group });
  return (
    <div className="split split-side">
      <div className="stack stack-24">
        <Snippets isReader={access.isReader} />
        <Panel aria-labelledby="readers">
          <PanelHead title="Services that read it" titleId="readers">
            <LinkButton size="sm" href={href} disabledReason={hasGroup ? undefined : 'The secret group is not there yet'}>
              Attach a service
            </LinkButton>
          </PanelHead>
          <Table
            label="Services that read the secret group"
            columns={columnsFor(place, database, access)}
            rows={group.data?.services ?? []}
            rowKey={({ service }) => service}
            isLoading={hasGroup && !group.data && !group.error}
            empty={
              <EmptyState kind="first-use" title="No service reads it yet" isCompact>
                Attach its secret group: the next revision of the service finds {access.keys[0]} in its environment.
              </EmptyState>
            }
          />
        </Panel>
      </div>
      <aside className="stack" aria-label="What to connect with">
        <SecretGroupPanel database={database} access={access} href={href} />
        {access.isReader && <ReaderOn database={database} team={team} />}
      </aside>
    </div>
  );
}

function Snippets({ isReader }: { isReader: boolean }) {
  const { state, hrefOf } = useUrlState(defaults);
  const onLinks = useInPageLinks();
  const kind = snippetKinds.find((name) => name === state.with) ?? 'psql';
  const { needs, code } = snippetFor(kind, isReader);
  return (
    <Panel aria-labelledby="snippets" onClickCapture={onLinks}>
      <PanelHead title="Connect from" titleId="snippets">
        <SegmentedLinks
          label="Connect from"
          items={snippetKinds.map((name) => ({
            label: snippets[name].label,
            href: hrefOf({ with: name === 'psql' ? '' : name }),
            isCurrent: name === kind,
          }))}
        />
      </PanelHead>
      <PanelBody className="stack stack-12">
        <CodeBlock code={code} what="code" />
        <p className="meta">{needs}</p>
      </PanelBody>
    </Panel>
  );
}

function SecretGroupPanel({ database, access, href }: { database: Database; access: Access; href: string }) {
  const { connection } = database;
  const { group, version, keys } = access;
  return (
    <Panel aria-labelledby="group">
      <PanelHead title="Secret group" titleId="group" />
      <PanelBody className="stack stack-12">
        <KeyValue
          items={[
            { label: 'Group', value: version === undefined ? group : <Link href={href}>{group}</Link> },
            ...(version === undefined ? [] : [{ label: 'Version', value: String(version) }]),
            ...(connection
              ? [
                  { label: 'Host', value: <code>{connection.host}</code> },
                  { label: 'Port', value: <code>{connection.port}</code> },
                  { label: 'Database', value: <code>{connection.database}</code> },
                  { label: 'TLS', value: <code>{connection.sslMode}</code> },
                ]
              : []),
            { label: 'Keys', value: <code>{keys.join(' ')}</code> },
          ]}
        />
        <p className="meta">
          Passwords are shown nowhere here. A member reveals one in the secret group, with a reason that is recorded. The address is reached
          from instances of services that read the group, and from nowhere else.
        </p>
        {version !== undefined && (
          <LinkButton href={href} icon={<KeyRound aria-hidden="true" />}>
            Open the secret group
          </LinkButton>
        )}
      </PanelBody>
    </Panel>
  );
}
