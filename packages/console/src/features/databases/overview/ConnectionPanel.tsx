/** How services connect and which do: services that read the group, and other clients by their application name. */
import { databaseFormerPasswordEnd, databaseSecretKeys, type Database } from '@slipway/contract/database/database.ts';
import { secretGroupView } from '@slipway/contract/secret/secret-group.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { count } from '@slipway/ui/format/count.ts';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { KeyValue } from '@slipway/ui/layout/KeyValue.tsx';
import { Panel, PanelBody, PanelFoot, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { refresh } from '#entities/changes/refresh.ts';
import { paths } from '#entities/paths.ts';
import { useQuery, type QueryResult } from '#kit/api/query.ts';
import { useWrite } from '#kit/api/write.ts';
import { confirmAction } from '#kit/confirm/confirm-action.ts';
import { disabledUnless } from '#kit/error/messages.ts';
import type { DatabasePlace } from '#features/databases/database-place.ts';
import css from './ConnectionPanel.module.css';
import { connectedOf } from './connected.ts';

/** Loads one of the database's secret groups, which lists the services that read it. */
export const useDatabaseGroup = ({ app, env }: DatabasePlace, group: string | undefined): QueryResult<typeof secretGroupView> =>
  useQuery(secretGroupView, group !== undefined && { params: { app, env, group } });

export interface ConnectionPanelProps {
  place: DatabasePlace;
  database: Database | undefined;
}

export function ConnectionPanel({ place, database }: ConnectionPanelProps) {
  const group = useDatabaseGroup(place, database?.credentials ? database.secretGroup : undefined).data;
  const readers = useDatabaseGroup(place, database?.reader?.secretGroup).data;
  const connected = database ? connectedOf(database.status.connectionsBy, [...(group?.services ?? []), ...(readers?.services ?? [])]) : [];
  return (
    <Panel aria-labelledby="connection">
      <PanelHead title="Connection" titleId="connection">
        <Link href={paths.database(place, 'connect')}>How to connect</Link>
      </PanelHead>
      <PanelBody className="stack stack-12">
        <p className="dense">Services connect with the keys of one secret group. Managed by Slipway.</p>
        {database && <Facts place={place} database={database} />}
      </PanelBody>
      {connected.length > 0 && (
        <ul className={css.lines} aria-label="Connections">
          {connected.map(({ name, isService, words, isOld }) => (
            <li key={`${name} ${words}`}>
              {isService ? <Link href={paths.service({ ...place, service: name })}>{name}</Link> : <span>{name}</span>}
              <span className={isOld ? 'push tone-warn strong' : 'push num'}>{words}</span>
            </li>
          ))}
        </ul>
      )}
      {database?.credentials?.former && <FormerPassword place={place} database={database} endsAt={database.credentials.former.endsAt} />}
    </Panel>
  );
}

function Facts({ place, database: { secretGroup, credentials, reader, connection } }: { place: DatabasePlace; database: Database }) {
  return (
    <KeyValue
      items={[
        {
          label: 'Secret group',
          value: credentials ? <Link href={paths.secretGroup({ ...place, group: secretGroup })}>{secretGroup}</Link> : secretGroup,
        },
        { label: 'Its keys', value: `${databaseSecretKeys[0]} and its ${databaseSecretKeys.length - 1} parts` },
        ...(reader
          ? [
              {
                label: 'Read only',
                value: <Link href={paths.secretGroup({ ...place, group: reader.secretGroup })}>{reader.secretGroup}</Link>,
              },
            ]
          : []),
        ...(connection ? [{ label: 'Address', value: <code>{`${connection.host}:${connection.port}`}</code> }] : []),
        ...(credentials
          ? [
              {
                label: 'Password',
                value: (
                  <>
                    changed <RelativeTime at={credentials.changedAt} isShort />
                  </>
                ),
              },
            ]
          : []),
      ]}
    />
  );
}

/** Shown while both passwords work. Ending the former password early disconnects its remaining clients. */
function FormerPassword({ place, database, endsAt }: { place: DatabasePlace; database: Database; endsAt: string }) {
  const end = useWrite(databaseFormerPasswordEnd);
  const using = database.status.connectionsBy.reduce((sum, { isFormer, count: open }) => sum + (isFormer ? open : 0), 0);
  const ask = (): void =>
    confirmAction({
      title: 'End the former password now?',
      consequences: using === 0 ? [] : [`${count(using, 'connection')} that use it end at once`],
      description: 'Services that still have it cannot connect until they are restarted.',
      confirmLabel: 'End former password',
      busyLabel: 'Ending',
      run: async () => {
        await end.send({ params: { ...place } });
        toast.success('The former password has ended');
        await refresh({ kind: 'database', ...place });
      },
    });
  return (
    <PanelFoot>
      <span>
        The former password works until <RelativeTime at={endsAt} isFocusable />.
      </span>
      <Button size="sm" onClick={ask} {...disabledUnless(database.can, 'endFormerPassword')}>
        End it now
      </Button>
    </PanelFoot>
  );
}
